/** Keeps a choice of the person in this browser, where that may keep something. */
export function keptChoice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
  try {
    const kept = localStorage.getItem(`elastic-job-console:${name}`);
    return choices.find((choice) => choice === kept);
  } catch {
    return undefined;
  }
}

export function keepChoice(name: string, choice: string): void {
  try {
    localStorage.setItem(`elastic-job-console:${name}`, choice);
  } catch {
    // It counts until the page is left.
  }
}
