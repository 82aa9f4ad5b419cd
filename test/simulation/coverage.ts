/** Counts of the cases that a checker had to judge, and that it has judged. */
export interface Coverage {
  readonly due: number;
  readonly judged: number;
  /** Cases that it has left out, by the reason. */
  readonly excused: Readonly<Record<string, number>>;
}

/** Smallest share of the cases that a checker must judge without an explanation. */
const ENOUGH = 0.8;

/** Counts, for each checker, the cases that were due and those that it has left out. */
export class Coverages {
  private readonly counts = new Map<
    number,
    { due: number; judged: number; readonly excused: Record<string, number> }
  >();

  /** @param excuse reason why the checker does not judge it; undefined: it does */
  count(invariant: number, excuse: string | undefined, amount = 1): void {
    const counts = this.of(invariant);
    counts.due += amount;
    if (excuse === undefined) counts.judged += amount;
    else counts.excused[excuse] = (counts.excused[excuse] ?? 0) + amount;
  }

  add(invariant: number, { due, judged, excused }: Coverage): void {
    const counts = this.of(invariant);
    counts.due += due;
    counts.judged += judged;
    for (const [reason, amount] of Object.entries(excused))
      counts.excused[reason] = (counts.excused[reason] ?? 0) + amount;
  }

  get all(): readonly (readonly [number, Coverage])[] {
    return [...this.counts].toSorted(([a], [b]) => a - b);
  }

  private of(invariant: number) {
    const known = this.counts.get(invariant) ?? { due: 0, judged: 0, excused: {} };
    this.counts.set(invariant, known);
    return known;
  }
}

/** True if nothing was due, or enough of it was judged. */
export function isEnough({ due, judged }: Coverage): boolean {
  return judged >= ENOUGH * due;
}

/** Text with the judged and due cases, and those left out by reason, the most frequent first. */
export function describeCoverage({ due, judged, excused }: Coverage): string {
  const part =
    due === 0 ? 'nothing was due' : `${Math.round((100 * judged) / due)} %, ${rounded(judged)} of ${rounded(due)}`;
  const reasons = Object.entries(excused)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, amount]) => `${reason} (${rounded(amount)})`);
  return [part, ...reasons].join('; ');
}

function rounded(amount: number): number {
  return Math.round(amount);
}
