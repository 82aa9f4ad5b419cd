import { type ImportPlan, REPORT_ITEMS, type Step } from './import-plan.js';

/** A batch as one run has written it. */
interface Write {
  readonly run: Run;
  isSaved: boolean;
}

/** One begin of an item. */
interface Run {
  readonly worker: string;
  readonly item: number;
  state: 'open' | 'aborted' | 'ended';
  last?: Write;
  /** True if a later run has processed one of its batches again. */
  isRepeated: boolean;
}

/** The begin of a run of the job that waits for the import. */
interface Report {
  readonly item: number;
  readonly source: string;
  /** Rows that had been processed by then. */
  readonly rows: number;
}

/** Steps that the store has accepted, and the faults in them. */
export class Ledger {
  readonly reports: Report[] = [];
  /** Rows that were processed, each counted once. */
  rows = 0;
  batches = 0;
  /** Batches that were processed more than once. */
  repeats = 0;
  /** Steps that were refused because a later run had been here. */
  refusals = 0;
  readonly #times: Uint8Array;
  readonly #runs = new Map<string, Run>();
  readonly #tokens = new Map<string, bigint>();
  /** Writes by their first row. */
  readonly #writes = new Map<number, Write>();
  readonly #ended = new Set<number>();
  readonly #reported = new Set<number>();
  readonly #faults: string[] = [];
  readonly #killed = new Set<string>();

  constructor(private readonly plan: ImportPlan) {
    this.#times = new Uint8Array(plan.rows);
  }

  /** A number from 0 to `rows + items`. */
  get progress(): number {
    return this.rows + this.#ended.size;
  }

  get isReported(): boolean {
    return this.#reported.size === REPORT_ITEMS;
  }

  /** Runs that ended early without a kill. */
  get aborts(): number {
    return [...this.#runs.values()].filter(({ state, worker }) => state === 'aborted' && !this.#killed.has(worker))
      .length;
  }

  /** @returns the number of its open runs */
  kill(worker: string): number {
    this.#killed.add(worker);
    return [...this.#runs.values()].filter((run) => run.worker === worker && run.state === 'open').length;
  }

  /** @returns true if the step is accepted */
  take(step: Step): boolean {
    if (step.step === 'report' || step.step === 'reported') return this.#takeReport(step);
    const run = this.#runOf(step);
    if (step.step === 'abort') run.state = 'aborted';
    else if (!this.#isNewest(step)) {
      this.refusals += 1;
      return false;
    }
    if (step.step === 'write') this.#write(run, step.rows!);
    if (step.step === 'saved') run.last!.isSaved = true;
    if (step.step === 'end') {
      run.state = 'ended';
      this.#ended.add(step.item);
    }
    return true;
  }

  /** Broken rules, judged after everything has come to its end. */
  faults(): readonly string[] {
    const faults = [...this.#faults];
    const lost = this.#times.reduce((count, times) => count + (times === 0 ? 1 : 0), 0);
    if (lost > 0) faults.push(`${lost} rows were not processed, the first of them is ${this.#times.indexOf(0)}`);
    faults.push(...this.#faultyStarts());
    const early = this.reports.filter(({ rows }) => rows < this.plan.rows);
    if (early.length > 0) faults.push(`started after the import with ${early[0]!.rows} rows processed`);
    return faults;
  }

  /**
   * Each item of the report is started once, and then run again only as a failover. A process may die between its begin
   * and its first step, so that only the failover shows here.
   */
  #faultyStarts(): readonly string[] {
    return Array.from({ length: REPORT_ITEMS }, (_, item) => {
      const sources = this.reports.filter((report) => report.item === item).map(({ source }) => source);
      const starts = sources.filter((source) => source !== 'FAILOVER').length;
      const isUnseen = starts === 0 && sources.length > 0 && this.#killed.size > 0;
      return starts === 1 || isUnseen ? [] : `item ${item} was started ${starts} times after the import`;
    }).flat();
  }

  #takeReport({ step, item, source }: Step): true {
    if (step === 'report') this.reports.push({ item, source, rows: this.rows });
    else this.#reported.add(item);
    return true;
  }

  #write(run: Run, rows: readonly number[]): void {
    const before = this.#writes.get(rows[0]!);
    const known = rows.filter((row) => this.#times[row]! > 0).length;
    for (const row of rows) this.#times[row]! += 1;
    this.batches += 1;
    this.rows += rows.length - known;
    if (known > 0) this.#repeat(run, rows, before);
    run.last = { run, isSaved: false };
    this.#writes.set(rows[0]!, run.last);
  }

  /**
   * Judges a repeated batch at once. A batch that was saved, or that a living process wrote, must not come again, and
   * one run must not write a batch twice.
   */
  #repeat(run: Run, rows: readonly number[], before: Write | undefined): void {
    this.repeats += 1;
    const why = this.#whyNot(before);
    if (before !== undefined) before.run.isRepeated = true;
    if (why !== undefined) this.#faults.push(`rows ${rows[0]} to ${rows.at(-1)} again in ${run.worker}: ${why}`);
  }

  #whyNot(before: Write | undefined): string | undefined {
    if (before === undefined) return 'part of another batch';
    const { run, isSaved } = before;
    if (isSaved) return `${run.worker} had saved its position behind them`;
    if (run.state !== 'aborted' && !this.#killed.has(run.worker)) return `${run.worker} is still at it`;
    if (run.isRepeated) return `not the first batch of ${run.worker} that is repeated`;
    return undefined;
  }

  #isNewest({ item, token }: Step): boolean {
    const newest = this.#tokens.get(String(item)) ?? 0n;
    if (BigInt(token) < newest) return false;
    this.#tokens.set(String(item), BigInt(token));
    return true;
  }

  #runOf({ worker, item, token }: Step): Run {
    const key = `${item} ${token}`;
    const known = this.#runs.get(key);
    if (known !== undefined) return known;
    const run: Run = { worker, item, state: 'open', isRepeated: false };
    this.#runs.set(key, run);
    return run;
  }
}
