// Covered by test/scenario/clocks-apart.spec.ts
import { type Clock, type ScheduleTime, type Timer, TimerQueue } from '../../clock/index.js';
import { clockOffsetMs, decideReference, isAhead, type RegistryNow } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import type { TickClock } from '../../scheduling/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { Instant } from './noted-span.js';

/** A wall clock that was moved by more against the monotonic one was set. */
const STEP_MS = 1_000;
/** While fire times are held back, the registry is asked so often whether they still have to be. */
const ASK_AGAIN_MS = 30_000;
/**
 * So often it is looked whether the host's clock was set meanwhile, which costs no request: timers go on as they were
 * armed. While fire times are held back, and otherwise.
 */
const CHECK_AGAIN_MS = { heldBack: 500, otherwise: 5_000 };
const LONGEST_ASK_MS = 5_000;
/** A clock that seems to run ahead is judged after the other instances have had so long to tell of theirs. */
const OTHERS_TELL_MS = 1_000;
/** An offset that has changed by more is told to the other instances. */
const REPORTED_CHANGE_MS = 1_000;

type Verdict = 'trusted' | 'ahead' | 'behind' | 'registry-wrong';

/** What judging this host's clock needs of its process. */
interface ScheduleClockParts {
  readonly clock: Clock;
  readonly registry: RegistryCenter;
  readonly events: JobEvents;
  /** A fire time may be begun so long before the registry's clock shows it, in milliseconds. */
  readonly toleranceMs: number;
  /** How far the clocks of other processes are ahead of the registry's, by process, as far as they have told. */
  offsets(): ReadonlyMap<string, number>;
  /** Tells the other instances how far this host's clock is ahead of the registry's. */
  report(offsetMs: number): void;
  /** The time by which fire times come has been changed, or stepped: schedules and owed fire times are read anew. */
  onChanged(): void;
}

/**
 * The time by which fire times come in this process: the host's, unless that runs ahead of the reference by more than
 * the tolerance. Then it is the reference, until the host's clock is right again. A clock that is behind is told of.
 *
 * The reference is the registry's clock; if most instances agree that this is the wrong one, what they show. That
 * stands until the clocks agree.
 *
 * The registry is asked anew before anything is held back, when the host's clock was set, and while fire times are held
 * back; otherwise what own writes have told is enough.
 */
export class ScheduleClock implements TickClock, ScheduleTime {
  private verdict: Verdict = 'trusted';
  /** So far the reference is ahead of the registry's clock, in milliseconds. */
  private referenceMs = 0;
  /** So far the host's clock was ahead of the reference when the verdict came. */
  private aheadMs = 0;
  private reportedMs: number | undefined;
  /** Others are still to tell of their clocks. */
  private isUndecided = false;
  /** So far the host's wall clock was ahead of its monotonic one when it was judged last, in milliseconds. */
  private monotonicToWallMs: number;
  /** The host's clock was set, and the registry has not answered yet. */
  private isQuestioned = false;
  private asking: Promise<void> | undefined;
  private again: Timer | undefined;
  /** While fire times are held back: when the registry is asked again, on the monotonic clock. */
  private askAt = 0;
  private isStopped = false;
  /** The waits of all jobs of the process while they are at rest. */
  private readonly waiting: TimerQueue;

  constructor(private readonly parts: ScheduleClockParts) {
    this.waiting = new TimerQueue(parts.clock);
    this.monotonicToWallMs = this.distanceMs;
  }

  /**
   * So far the host's clock was ahead of the registry's when fire times began to be held back, in milliseconds;
   * undefined: none is.
   */
  get heldBackMs(): number | undefined {
    return this.verdict === 'ahead' ? this.aheadMs : undefined;
  }

  /** So far the host's clock was behind the registry's when that was told, in milliseconds; undefined: it is not. */
  get behindMs(): number | undefined {
    return this.verdict === 'behind' ? -this.aheadMs : undefined;
  }

  /** The reference, by which records count as from the future; undefined if nobody can say. */
  get reference(): RegistryNow | undefined {
    return this.isUndecided ? undefined : this.known;
  }

  /** The same as a function, one for all who keep it. */
  readonly referenceNow = (): RegistryNow | undefined => this.reference;

  private get known(): RegistryNow | undefined {
    return this.toldAhead(this.referenceMs);
  }

  /**
   * How far the host's clock is ahead of the registry's, in milliseconds, as the others are told; undefined: nobody can
   * say.
   */
  get offsetMs(): number | undefined {
    const { told } = this;
    return told && Math.round(clockOffsetMs(this.parts.clock.wallNow(), told));
  }

  private get told(): RegistryNow | undefined {
    return this.toldAhead(0);
  }

  /** The registry's time as it was told, and so many milliseconds more. */
  private toldAhead(ms: number): RegistryNow | undefined {
    const { registry, toleranceMs } = this.parts;
    const time = registry.time();
    return time && { earliest: time.earliest + ms, latest: time.latest + ms, toleranceMs };
  }

  /**
   * The instant at which the registry's clock showed that time, in milliseconds since the epoch. While the host's clock
   * is off it by more than the tolerance, nobody can say what that showed: then the registry's time has to do.
   */
  fromRegistry(ms: number): Instant {
    return { own: this.isRight ? ms + (this.offsetMs ?? 0) : ms, shared: ms + this.referenceMs };
  }

  wallNow(): number {
    this.noticeStep();
    const { clock } = this.parts;
    // Until the registry has answered, a clock that was set forward goes on as it was: nothing is early.
    const asBefore = this.isQuestioned ? Math.floor(clock.monotonicNow() + this.monotonicToWallMs) : Infinity;
    const wall = Math.min(clock.wallNow(), asBefore);
    const time = this.verdict === 'ahead' ? this.known : undefined;
    return time === undefined ? wall : Math.min(wall, Math.floor(time.earliest));
  }

  /** The instant of the reference that is nearest to `wallNow`, as far as the reference is known. */
  sharedNow(): number {
    const own = this.wallNow();
    const { known } = this;
    return known === undefined ? own : Math.round(Math.min(Math.max(own, known.earliest), known.latest));
  }

  /** All jobs of the process share one timer of the host's clock. */
  setTimer(ms: number, callback: () => void): Timer {
    return this.waiting.setTimer(ms, callback);
  }

  /** The time now, for catching up: the registry has been asked if the host's clock seems to run ahead. */
  async now(): Promise<number> {
    await this.hasCome(this.parts.clock.wallNow());
    return this.wallNow();
  }

  /** True if a fire time that has come by the host's clock may be begun. Before it may not, the registry is asked. */
  async hasCome(fireTime: number): Promise<boolean> {
    this.reportChange();
    if (this.told === undefined || isAhead(fireTime, this.known)) await this.ask();
    else if (!this.isRight) this.judgeFromMemory();
    return !this.isAhead(fireTime);
  }

  /** True if a fire time is yet to come by the reference; from memory. */
  isAhead(fireTime: number): boolean {
    return isAhead(fireTime, this.reference);
  }

  /**
   * Asks the registry for its time and judges the host's by it. Without an answer what is known has to do. Never
   * rejects.
   */
  ask(): Promise<void> {
    this.asking ??= this.askOnce().finally(() => (this.asking = undefined));
    return this.asking;
  }

  stop(): void {
    this.isStopped = true;
    this.again?.cancel();
  }

  /** Another instance has told of its clock: if the registry's was set, this one has not heard of it yet. */
  async hearOthers(): Promise<void> {
    if (!this.isStopped) await this.ask();
  }

  private async askOnce(): Promise<void> {
    const { clock, registry } = this.parts;
    await registry.serverTime({ timeoutMs: LONGEST_ASK_MS }).catch(() => {});
    this.reportChange();
    const { verdict } = this.judged();
    if (verdict !== 'trusted' && verdict !== this.verdict && this.parts.offsets().size > 0) {
      this.isUndecided = true;
      await clock.sleep(OTHERS_TELL_MS);
      this.isUndecided = false;
    }
    this.judge();
    if (this.again === undefined) this.checkLater();
  }

  private reportChange(): void {
    const { offsetMs } = this;
    if (offsetMs === undefined || this.isStopped) return;
    if (this.reportedMs !== undefined && Math.abs(offsetMs - this.reportedMs) <= REPORTED_CHANGE_MS) return;
    this.reportedMs = offsetMs;
    this.parts.report(offsetMs);
  }

  private judge(): void {
    const { events } = this.parts;
    const { aheadMs, referenceMs, verdict } = this.judged();
    if (this.isStopped) return;
    const isTold = verdict === this.verdict && Math.abs(referenceMs - this.referenceMs) <= REPORTED_CHANGE_MS;
    this.referenceMs = referenceMs;
    if (isTold) return;
    this.verdict = verdict;
    this.aheadMs = aheadMs;
    const offsetMs = verdict === 'registry-wrong' ? referenceMs : aheadMs;
    events.emit({ kind: 'clock', state: verdict, offsetMs });
    this.askAt = this.parts.clock.monotonicNow() + ASK_AGAIN_MS;
    this.checkLater();
    this.parts.onChanged();
  }

  /** Nothing tells otherwise: the others need not be looked at. */
  private get isRight(): boolean {
    return this.verdict === 'trusted' && Math.abs(this.offsetMs ?? 0) <= this.parts.toleranceMs;
  }

  // What is worse than before is told only once the registry and the others have been asked.
  private judgeFromMemory(): void {
    const { verdict } = this.judged();
    if (verdict === 'trusted' || verdict === this.verdict) this.judge();
    else void this.ask();
  }

  /** What is known now, without a request. */
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
    const { heldBack, otherwise } = CHECK_AGAIN_MS;
    const afterMs = this.verdict === 'ahead' ? heldBack : otherwise;
    this.again = this.parts.clock.setTimer(afterMs, () => void this.checkClock());
  }

  private async checkClock(): Promise<void> {
    const { clock } = this.parts;
    this.noticeStep();
    if (this.verdict === 'ahead' && clock.monotonicNow() >= this.askAt) {
      this.askAt = clock.monotonicNow() + ASK_AGAIN_MS;
      await this.ask();
    }
    this.checkLater();
  }

  private noticeStep(): void {
    if (this.isQuestioned || this.isStopped) return;
    if (Math.abs(this.distanceMs - this.monotonicToWallMs) <= STEP_MS) return;
    this.isQuestioned = true;
    void this.answerStep();
  }

  private async answerStep(): Promise<void> {
    await this.ask();
    this.isQuestioned = false;
    this.monotonicToWallMs = this.distanceMs;
    if (!this.isStopped) this.parts.onChanged();
  }

  private get distanceMs(): number {
    const { clock } = this.parts;
    return clock.wallNow() - clock.monotonicNow();
  }
}
