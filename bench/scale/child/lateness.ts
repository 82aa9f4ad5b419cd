import { once } from 'node:events';

/** Notes the lateness of each run, from its due instant to the handler's first line. */
export class LatenessLog {
  private from = Infinity;
  private to = Infinity;
  private due = 0;
  private lateness = new Map<string, number[]>();
  private readonly news = new EventTarget();

  /** Notes the runs that are due in a span from now on. @param due their number */
  open(from: number, to: number, due: number): void {
    Object.assign(this, { from, to, due, lateness: new Map() });
  }

  /** @param dueAt in milliseconds since the epoch */
  note(prefix: string, dueAt: number, now: number): void {
    if (dueAt < this.from || dueAt >= this.to) return;
    const noted = this.lateness.get(prefix);
    if (noted === undefined) this.lateness.set(prefix, [now - dueAt]);
    else noted.push(now - dueAt);
    this.due -= 1;
    if (this.due === 0) this.news.dispatchEvent(new Event('complete'));
  }

  /** Resolves when all of the runs have begun, or at the time limit, in milliseconds. */
  async close(limitMs: number): Promise<Readonly<Record<string, readonly number[]>>> {
    if (this.due > 0) await once(this.news, 'complete', { signal: AbortSignal.timeout(limitMs) }).catch(() => {});
    this.from = Infinity;
    return Object.fromEntries(this.lateness);
  }
}
