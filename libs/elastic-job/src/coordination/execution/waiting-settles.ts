import type { Clock, Timer } from '../../clock/index.js';
import { type JobName, SparseMap } from '../../domain/index.js';
import type { EndedItem } from './ended-item.js';

/** Ends that the registry has not recorded in time. They are repeated until the session is over. */
export interface DelayedSettles {
  readonly jobName: JobName;
  readonly items: readonly number[];
  /** First attempt of the oldest one, in milliseconds since the epoch. */
  readonly since: number;
  /** Error of the latest attempt. */
  readonly error: unknown;
}

/** Milliseconds after which a waiting end is reported. */
const TOLD_AFTER_MS = 5_000;
/** Ends that become due within this time are reported together, in milliseconds. */
const TOLD_TOGETHER_MS = 500;

interface Waiting {
  readonly since: number;
  readonly deadline: number;
  error: unknown;
  isTold: boolean;
}

/** Ends of one job and session whose settle has failed at least once. */
export class WaitingSettles {
  private readonly waiting = new SparseMap<EndedItem, Waiting>();
  private alarm: Timer | undefined;

  constructor(
    private readonly jobName: JobName,
    private readonly clock: Clock,
    private readonly onDelayed: (delayed: DelayedSettles) => void,
  ) {}

  get size(): number {
    return this.waiting.size;
  }

  /** Reported ends that still wait; undefined if there are none. */
  get delayed(): DelayedSettles | undefined {
    return this.describe([...this.waiting].filter(([, { isTold }]) => isTold));
  }

  has(ended: EndedItem): boolean {
    return this.waiting.has(ended);
  }

  add(ended: EndedItem, error: unknown): void {
    const known = this.waiting.get(ended);
    if (known !== undefined) return void (known.error = error);
    const { clock } = this;
    const deadline = clock.monotonicNow() + TOLD_AFTER_MS;
    this.waiting.set(ended, { since: clock.wallNow(), deadline, error, isTold: false });
    this.alarm ??= clock.setTimer(TOLD_AFTER_MS, () => this.tell());
  }

  /** Removes an end that is recorded, or whose session is over. */
  delete(ended: EndedItem): void {
    this.waiting.delete(ended);
    if (this.waiting.size > 0) return;
    this.alarm?.cancel();
    this.alarm = undefined;
  }

  private tell(): void {
    const now = this.clock.monotonicNow();
    const untold = [...this.waiting].filter(([, { isTold }]) => !isTold);
    const due = untold.filter(([, { deadline }]) => deadline <= now + TOLD_TOGETHER_MS);
    const next = Math.min(...untold.filter((one) => !due.includes(one)).map(([, { deadline }]) => deadline));
    this.alarm = Number.isFinite(next) ? this.clock.setTimer(next - now, () => this.tell()) : undefined;
    for (const [, waiting] of due) waiting.isTold = true;
    const delayed = this.describe(due);
    if (delayed !== undefined) this.onDelayed(delayed);
  }

  private describe(entries: readonly (readonly [EndedItem, Waiting])[]): DelayedSettles | undefined {
    const [oldest] = entries.toSorted(([, a], [, b]) => a.since - b.since);
    if (oldest === undefined) return undefined;
    const items = entries.map(([{ item }]) => item).toSorted((a, b) => a - b);
    return { jobName: this.jobName, items, since: oldest[1].since, error: oldest[1].error };
  }
}
