import type { Fault } from '../check/index.js';

/** Journal of the faults, and of their healing. */
export class FaultJournal {
  readonly #faults: { -readonly [Key in keyof Fault]: Fault[Key] }[] = [];

  get faults(): readonly Fault[] {
    return this.#faults;
  }

  /**
   * Opens a fault that is about to begin. @returns a function to call when it is healed; a fatal fault ends as it
   * begins
   */
  open(fault: Omit<Fault, 'from' | 'to'>): () => void {
    const noted = { ...fault, from: Date.now(), to: fault.isFatal ? Date.now() : Infinity };
    this.#faults.push(noted);
    return () => {
      if (!fault.isFatal) noted.to = Date.now();
    };
  }

  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { kind } of this.#faults) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts;
  }
}
