/** How much of what a checker had to judge it has judged. */
export interface Coverage {
  readonly due: number;
  readonly judged: number;
  /** What it has left out, by the reason. */
  readonly excused: Readonly<Record<string, number>>;
}

/** Less than this part of what was due has to be explained. */
const ENOUGH = 0.8;

/** Counts, for each checker, what was due and what it has left out. */
export class Coverages {
  private readonly counts = new Map<
    number,
    { due: number; judged: number; readonly excused: Record<string, number> }
  >();

  /** @param excuse why the checker does not judge it; undefined: it does */
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

/** Nothing was due, or enough of it was judged. */
export function isEnough({ due, judged }: Coverage): boolean {
  return judged >= ENOUGH * due;
}

/** Judged of due, and what was left out for which reason, the most frequent one first. */
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
