import type { Clock, Timer } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import type { EndedItem } from './ended-run.js';

/** Failed attempts to record an end. */
interface Delay {
  /** First one, in milliseconds since the epoch. */
  readonly since: number;
  /** Moment on the monotonic clock at which it is to be reported. */
  readonly deadline: number;
  /** Error of the latest one. */
  error: unknown;
  isReported: boolean;
}

/** An ended item on its way into the registry. @see SettleQueue */
export interface End {
  readonly ended: EndedItem;
  state: 'queued' | 'asked' | 'sent' | 'resting' | 'doubtful' | 'over';
  /** Races that it has lost since it was taken. */
  lostRaces: number;
  /** Undefined as long as no attempt has failed. */
  delay: Delay | undefined;
}

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
const REPORT_AFTER_MS = 5_000;
/** Ends that become due within this time are reported together, in milliseconds. */
const REPORT_TOGETHER_MS = 500;

/** Reports ends of one job and session that are not recorded some time after their first attempt has failed. */
export class DelayAlarm {
  /** Number of ends with a delay. */
  private count = 0;
  private timer: Timer | undefined;

  /** @param ends all that are on their way */
  constructor(
    private readonly jobName: JobName,
    private readonly clock: Clock,
    private readonly ends: Iterable<End>,
    private readonly onDelayed: (delayed: DelayedSettles) => void,
  ) {}

  /** Reported ends that still wait; undefined if there are none. */
  get delayed(): DelayedSettles | undefined {
    return this.describe(this.late().filter(({ delay }) => delay.isReported));
  }

  /** Notes a failed attempt. */
  note(end: End, error: unknown): void {
    if (end.delay !== undefined) return void (end.delay.error = error);
    const { clock } = this;
    const deadline = clock.monotonicNow() + REPORT_AFTER_MS;
    end.delay = { since: clock.wallNow(), deadline, error, isReported: false };
    this.count += 1;
    this.timer ??= clock.setTimer(REPORT_AFTER_MS, () => this.report());
  }

  /** Forgets an end that is recorded, or whose session is over. @returns true if it was the last that was late */
  forget(end: End): boolean {
    if (end.delay === undefined) return false;
    end.delay = undefined;
    this.count -= 1;
    if (this.count > 0) return false;
    this.timer?.cancel();
    this.timer = undefined;
    return true;
  }

  private report(): void {
    const now = this.clock.monotonicNow();
    const unreported = this.late().filter(({ delay }) => !delay.isReported);
    const due = unreported.filter(({ delay }) => delay.deadline <= now + REPORT_TOGETHER_MS);
    const next = Math.min(...unreported.filter((one) => !due.includes(one)).map(({ delay }) => delay.deadline));
    this.timer = Number.isFinite(next) ? this.clock.setTimer(next - now, () => this.report()) : undefined;
    for (const { delay } of due) delay.isReported = true;
    const delayed = this.describe(due);
    if (delayed !== undefined) this.onDelayed(delayed);
  }

  private late(): readonly { readonly item: number; readonly delay: Delay }[] {
    return [...this.ends].flatMap(({ delay, ended }) => (delay === undefined ? [] : { item: ended.item, delay }));
  }

  private describe(late: ReturnType<DelayAlarm['late']>): DelayedSettles | undefined {
    const [oldest] = late.toSorted((a, b) => a.delay.since - b.delay.since);
    if (oldest === undefined) return undefined;
    const items = late.map(({ item }) => item).toSorted((a, b) => a - b);
    return { jobName: this.jobName, items, since: oldest.delay.since, error: oldest.delay.error };
  }
}
