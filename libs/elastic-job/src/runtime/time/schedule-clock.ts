import type { Clock, ScheduleTime, Timer } from '../../clock/index.js';
import { clockOffsetMs, decideReference, isAhead, type RegistryNow } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import type { TickClock } from '../../scheduling/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { FireMoments, TimerQueue } from '../../turns/index.js';
import { HostClock } from './host-clock.js';
import type { Instant } from './noted-span.js';

/** Milliseconds between requests to the registry while fire times are held back. */
const ASK_AGAIN_MS = 30_000;
/**
 * Milliseconds between checks if the host's clock was set, which cost no request, since armed timers do not notice it:
 * while fire times are held back, and otherwise.
 */
const CHECK_AGAIN_MS = { heldBack: 500, otherwise: 5_000 };
const LONGEST_ASK_MS = 5_000;
/** Milliseconds that other instances get to report their clocks before one that seems to run ahead is judged. */
const OTHERS_REPORT_MS = 1_000;
/** Change of the offset, in milliseconds, above which it is reported to the other instances. */
const REPORTED_CHANGE_MS = 1_000;

type Verdict = 'trusted' | 'ahead' | 'behind' | 'registry-wrong';

/** Parts of the process that are needed to judge the host's clock. */
interface ScheduleClockParts {
  readonly clock: Clock;
  readonly registry: RegistryCenter;
  readonly events: JobEvents;
  /** Milliseconds by which a fire time may be begun before the registry's clock shows it. */
  readonly toleranceMs: number;
  /**
   * Milliseconds by which the clocks of other processes are ahead of the registry's, by process, as far as reported.
   */
  offsets(): ReadonlyMap<string, number>;
  /** Reports to the other instances how far this host's clock is ahead of the registry's. */
  report(offsetMs: number): void;
  /**
   * Called when the time for fire times has changed or stepped, so that schedules and owed fire times are read again.
   */
  onChanged(): void;
}

/**
 * The time that decides fire times in this process: the host's, unless it runs ahead of the reference by more than the
 * tolerance. Then it is the reference, until the host's clock is right again. A clock that is behind is reported.
 *
 * The reference is the registry's clock, unless most instances agree that this clock is wrong; then it is the time that
 * they show, until the clocks agree again.
 *
 * The registry is asked again before anything is held back, when the host's clock was set, and while fire times are
 * held back. Otherwise the times in own writes are enough. A clock that was set is noticed when a timer fires, and by a
 * check every few seconds. Reading the time makes no request.
 */
export class ScheduleClock implements TickClock, ScheduleTime {
  private verdict: Verdict = 'trusted';
  /** Milliseconds by which the reference is ahead of the registry's clock. */
  private referenceMs = 0;
  /** Milliseconds by which the host's clock was ahead of the reference at the time of the verdict. */
  private aheadMs = 0;
  private reportedMs: number | undefined;
  /** True while other instances have not reported their clocks yet. */
  private isUndecided = false;
  private readonly host: HostClock;
  private asking: Promise<void> | undefined;
  private again: Timer | undefined;
  /** Moment on the monotonic clock of the next request to the registry, while fire times are held back. */
  private askAt = 0;
  private readonly stopping = new AbortController();
  /** Moments at which fire times have come. */
  readonly came = new FireMoments(this);
  /** Waits of all jobs of the process while they are idle. */
  private readonly waiting: TimerQueue;

  constructor(private readonly parts: ScheduleClockParts) {
    const { clock } = parts;
    this.host = new HostClock(clock);
    const whenDue = (callback: () => void) => () => {
      this.askIfSet();
      callback();
    };
    this.waiting = new TimerQueue({
      monotonicNow: () => clock.monotonicNow(),
      nextTurn: () => clock.nextTurn(),
      setTimer: (ms, callback) => clock.setTimer(ms, whenDue(callback)),
    });
  }

  /**
   * Milliseconds by which the host's clock was ahead of the registry's when fire times began to be held back; undefined
   * if none are held back.
   */
  get heldBackMs(): number | undefined {
    return this.verdict === 'ahead' ? this.aheadMs : undefined;
  }

  /**
   * Milliseconds by which the host's clock was behind the registry's when that was reported; undefined if it is not
   * behind.
   */
  get behindMs(): number | undefined {
    return this.verdict === 'behind' ? -this.aheadMs : undefined;
  }

  /** The reference, by which records count as in the future; undefined if unknown. */
  get reference(): RegistryNow | undefined {
    return this.isUndecided ? undefined : this.known;
  }

  /** `reference` as a function, shared by all that keep it. */
  readonly referenceNow = (): RegistryNow | undefined => this.reference;

  private get known(): RegistryNow | undefined {
    return this.registryAhead(this.referenceMs);
  }

  /** Milliseconds by which the host's clock is ahead of the registry's, as reported to others; undefined if unknown. */
  get offsetMs(): number | undefined {
    const time = this.registryAhead(0);
    return time && Math.round(clockOffsetMs(this.parts.clock.wallNow(), time));
  }

  /** The registry's time as far as it is known, plus some milliseconds. */
  private registryAhead(ms: number): RegistryNow | undefined {
    const { registry, toleranceMs } = this.parts;
    const time = registry.time();
    return time && { earliest: time.earliest + ms, latest: time.latest + ms, toleranceMs };
  }

  /**
   * The instant at which the registry's clock showed that time, in milliseconds since the epoch. While the host's clock
   * is off by more than the tolerance, its own time is unknown, and the registry's time is used.
   */
  fromRegistry(ms: number): Instant {
    return { own: this.isRightBy(this.offsetMs) ? ms + (this.offsetMs ?? 0) : ms, shared: ms + this.referenceMs };
  }

  wallNow(): number {
    const wall = this.host.wallNow();
    const time = this.verdict === 'ahead' ? this.known : undefined;
    return time === undefined ? wall : Math.min(wall, Math.floor(time.earliest));
  }

  /** The instant closest to `wallNow` at which the reference may be, as far as it is known. */
  sharedNow(): number {
    const own = this.wallNow();
    const { known } = this;
    return known === undefined ? own : Math.round(Math.min(Math.max(own, known.earliest), known.latest));
  }

  monotonicNow(): number {
    return this.parts.clock.monotonicNow();
  }

  /** All jobs of the process share one timer of the host's clock. */
  setTimer(ms: number, callback: () => void): Timer {
    return this.waiting.setTimer(ms, callback);
  }

  /** The time now, for catching up. The registry is asked first if the host's clock seems to run ahead. */
  async now(): Promise<number> {
    this.askIfSet();
    await this.hasCome(this.parts.clock.wallNow());
    return this.wallNow();
  }

  /** True if a fire time that has come by the host's clock may be begun. Before it says no, the registry is asked. */
  hasCome(fireTime: number): boolean | Promise<boolean> {
    const { offsetMs } = this;
    this.reportChange(offsetMs);
    if (offsetMs === undefined || isAhead(fireTime, this.known)) return this.hasComeOnceAsked(fireTime);
    if (!this.isRightBy(offsetMs)) this.judgeFromMemory();
    return !this.isAhead(fireTime);
  }

  /** True if a fire time is in the future by the reference; from memory. */
  isAhead(fireTime: number): boolean {
    return isAhead(fireTime, this.reference);
  }

  /**
   * Asks the registry for its time and judges the host's clock by it. Without an answer it judges by what is known.
   * Never rejects.
   */
  ask(): Promise<void> {
    this.asking ??= this.askOnce().finally(() => (this.asking = undefined));
    return this.asking;
  }

  /** If the host's clock was set since it was last judged, asks the registry and reports the change to `onChanged`. */
  askIfSet(): void {
    if (this.host.wasSet && !this.isStopped) void this.judgeHost();
  }

  stop(): void {
    this.stopping.abort();
    this.again?.cancel();
  }

  /** Asks the registry once another instance has reported its clock, since the registry's own may have been set. */
  async othersReported(): Promise<void> {
    if (!this.isStopped) await this.ask();
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async hasComeOnceAsked(fireTime: number): Promise<boolean> {
    await this.ask();
    return !this.isAhead(fireTime);
  }

  private async askOnce(): Promise<void> {
    const { clock, registry } = this.parts;
    const { signal } = this.stopping;
    await registry.serverTime({ timeoutMs: LONGEST_ASK_MS, signal }).catch(() => {});
    this.reportChange();
    const { verdict } = this.judged();
    if (verdict !== 'trusted' && verdict !== this.verdict && this.parts.offsets().size > 0) {
      this.isUndecided = true;
      await clock.sleep(OTHERS_REPORT_MS, signal).catch(() => {}); // A stop ends it.
      this.isUndecided = false;
    }
    this.judge();
    if (this.again === undefined) this.checkLater();
  }

  private reportChange(offsetMs = this.offsetMs): void {
    if (offsetMs === undefined || this.isStopped) return;
    if (this.reportedMs !== undefined && Math.abs(offsetMs - this.reportedMs) <= REPORTED_CHANGE_MS) return;
    this.reportedMs = offsetMs;
    this.parts.report(offsetMs);
  }

  private judge(): void {
    const { aheadMs, referenceMs, verdict } = this.judged();
    if (this.isStopped) return;
    const isReported = verdict === this.verdict && Math.abs(referenceMs - this.referenceMs) <= REPORTED_CHANGE_MS;
    this.referenceMs = referenceMs;
    if (isReported) return;
    this.verdict = verdict;
    this.aheadMs = aheadMs;
    const offsetMs = verdict === 'registry-wrong' ? referenceMs : aheadMs;
    this.parts.events.emit({ kind: 'clock', state: verdict, offsetMs });
    this.askAt = this.parts.clock.monotonicNow() + ASK_AGAIN_MS;
    this.checkLater();
    this.parts.onChanged();
  }

  /** True if nothing contradicts the host's clock, so that the other instances need not be looked at. */
  private isRightBy(offsetMs = 0): boolean {
    return this.verdict === 'trusted' && Math.abs(offsetMs) <= this.parts.toleranceMs;
  }

  // A verdict worse than before is reported only after asking the registry and the others.
  private judgeFromMemory(): void {
    const { verdict } = this.judged();
    if (verdict === 'trusted' || verdict === this.verdict) this.judge();
    else void this.ask();
  }

  /** Verdict from what is known now, without a request. */
  private judged(): { readonly verdict: Verdict; readonly aheadMs: number; readonly referenceMs: number } {
    const { toleranceMs } = this.parts;
    const { offsetMs = 0 } = this;
    const others = [...this.parts.offsets().values()];
    const referenceMs = decideReference(offsetMs, others, toleranceMs, this.referenceMs);
    const aheadMs = offsetMs - referenceMs;
    if (Math.abs(aheadMs) > toleranceMs) return { verdict: aheadMs > 0 ? 'ahead' : 'behind', aheadMs, referenceMs };
    return { verdict: referenceMs === 0 ? 'trusted' : 'registry-wrong', aheadMs, referenceMs };
  }

  private checkLater(): void {
    this.again?.cancel();
    if (this.isStopped) return;
    const afterMs = CHECK_AGAIN_MS[this.verdict === 'ahead' ? 'heldBack' : 'otherwise'];
    this.again = this.parts.clock.setTimer(afterMs, () => void this.checkClock());
  }

  private async checkClock(): Promise<void> {
    const { clock } = this.parts;
    this.askIfSet();
    if (this.verdict === 'ahead' && clock.monotonicNow() >= this.askAt) {
      this.askAt = clock.monotonicNow() + ASK_AGAIN_MS;
      await this.ask();
    }
    this.checkLater();
  }

  private async judgeHost(): Promise<void> {
    await this.host.judgedBy(() => this.ask());
    if (!this.isStopped) this.parts.onChanged();
  }
}
