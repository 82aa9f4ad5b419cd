/** Why a target begins at once, later or not, in the language of the page: the console's own sentences are English. */

/** A pattern of the console's sentence, and the words for what is found by its groups. */
export type BecauseWords = readonly (readonly [RegExp, (...found: readonly string[]) => string])[];

/** The console's own sentence where there are no words for it. */
export function becauseIn(because: string, words: BecauseWords): string {
  for (const [pattern, wordsFor] of words) {
    const found = pattern.exec(because);
    if (found !== null) return wordsFor(...found.slice(1));
  }
  return because;
}

/** True if a target is refused since the schedule of the job has no such fire time, or the job no schedule. */
export function lacksFireTime(because: string): boolean {
  return because.includes('Set anyTime');
}
