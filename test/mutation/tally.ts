import type { PlannedMutant, Verdict } from './plan.js';

/** Counts verdicts, and prints each mutant that no test notices. */
export class Tally {
  noticed = 0;
  missed = 0;
  private toldAt = Date.now();

  constructor(
    readonly planned: number,
    private readonly excluded: number,
  ) {}

  add({ file, line, column, mutator, replacement }: PlannedMutant, { kind }: Verdict): void {
    if (kind === 'noticed' || kind === 'timeout') this.noticed += 1;
    else {
      this.missed += 1;
      console.log(`${kind} ${file}:${line}:${column} ${mutator} -> ${oneLine(replacement)}`);
    }
    if (Date.now() - this.toldAt < 30_000) return;
    this.toldAt = Date.now();
    console.log(`... ${this.noticed} noticed, ${this.missed} not, of ${this.planned}`);
  }

  /** In percent of the judged mutants. */
  get score(): number {
    const judged = this.noticed + this.missed;
    return judged === 0 ? 100 : (this.noticed / judged) * 100;
  }

  summary(): string {
    const left = this.planned - this.noticed - this.missed;
    const stopped = left === 0 ? '' : `, ${left} left when the time was over`;
    // Never rounded up.
    const score = (Math.floor(this.score * 100) / 100).toFixed(2);
    const counts = `${this.planned} mutants, ${this.noticed} noticed, ${this.missed} not, ${this.excluded} excluded`;
    return `score ${score} %: ${counts}${stopped}`;
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 80);
}
