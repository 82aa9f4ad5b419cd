/**
 * Releases tasks that no scheduler follows any more. Reasons: the scheduler has died between the settle and the
 * release; a release had no answer; a scheduler that stood still has launched too late; the job was removed.
 *
 * Every scheduler compares all tasks of the cluster with the records of their items, every 15 to 20 s. A task is
 * released if two rounds in a row have found it a leftover, so that a scheduler that has just settled a run releases
 * its task first. A running leftover is told to end, again and again until that has an answer. It is released once it
 * has ended. One that cannot be reached stays.
 *
 * Guarantees: no task of a run that is followed, or waits to be adopted, is touched: the records are read after the
 * tasks were listed, and each launch follows a begin in the record. A task that is adopted meanwhile has a greater
 * token, so the former holder's release does nothing. A leftover that does nothing is gone after 60 s.
 *
 * Failures: a round without an answer is skipped, and the next one starts anew.
 */
import { isRegistryFailure } from '../registry/index.js';
import { BackOff, keepRounds } from '../repeat/index.js';
import { isLeftover } from './leftover.decision.js';
import { TaskBackendError, type TaskHandle } from './task-backend.js';
import { isTaskEnd } from './task-state.js';
import type { TaskJobType } from './task.job-type.js';
import { releaseTask, type TaskScheduling } from './task-scheduling.js';

/** Longest pause between two rounds, in milliseconds. */
const ROUND_MS = 20_000;
/** Growth of the pauses before the end of a leftover is requested once more, in milliseconds. */
const ASK_AGAIN = { firstMs: ROUND_MS, longestMs: 300_000 };
/** Closer rounds could not tell a leftover from a run that is just being settled. */
const LEAST_ROUND_MS = 10_000;

/** The request to a leftover to end. */
interface EndRequest {
  readonly backOff: BackOff;
  /** Earliest time to repeat it, on the monotonic clock; Infinity once the backend has answered. */
  againAt: number;
}

/** Compares a scheduler's backend with the registry. */
export class TaskReconciliation {
  private readonly ending = new AbortController();
  private rounds: Promise<void> | undefined;
  /** Earliest time of the next round, on the monotonic clock. */
  private nextAt = 0;
  /** Leftovers of the last round, by their uid. */
  private suspected: ReadonlySet<string> = new Set();
  /** Requests to leftovers to end, by the uid of the task. */
  private readonly endRequests = new Map<string, EndRequest>();

  /** @param graceMs time from the request to end until a leftover is killed, in milliseconds */
  constructor(
    private readonly scheduling: TaskScheduling,
    private readonly type: Pick<TaskJobType, 'running'>,
    private readonly graceMs: number,
  ) {}

  start(): void {
    this.rounds ??= keepRounds(() => this.now(), {
      clock: this.scheduling.clock,
      signal: this.ending.signal,
      longestMs: ROUND_MS,
      spread: 0.25,
      onError: (error) => this.report(error),
    });
  }

  /** Resolves once no round is under way any more. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.rounds;
  }

  /**
   * Begins a round at once, for an operator.
   * @returns false if the last one ended less than 10 s ago, or is under way; nothing is done then
   * @throws {TaskBackendError} @throws the registry's error
   */
  async now(): Promise<boolean> {
    const { clock } = this.scheduling;
    if (clock.monotonicNow() < this.nextAt) return false;
    this.nextAt = Infinity;
    try {
      await this.round();
    } finally {
      this.nextAt = clock.monotonicNow() + LEAST_ROUND_MS;
    }
    return true;
  }

  private async round(): Promise<void> {
    const leftovers = await this.leftovers();
    const { suspected } = this;
    this.suspected = new Set(leftovers.map(({ uid }) => uid));
    for (const uid of this.endRequests.keys()) if (!this.suspected.has(uid)) this.endRequests.delete(uid);
    for (const handle of leftovers) {
      if (suspected.has(handle.uid)) await this.end(handle).catch((error: unknown) => this.report(error));
    }
  }

  private async leftovers(): Promise<readonly TaskHandle[]> {
    const followed = new Set(this.type.running.map(({ id }) => id));
    const handles: TaskHandle[] = [];
    for await (const handle of this.scheduling.backend.list(this.ending.signal)) {
      if (!followed.has(handle.uid)) handles.push(handle);
    }
    if (handles.length === 0) return [];
    const records = await this.scheduling.recordsOf(
      handles.map(({ key }) => key),
      this.ending.signal,
    );
    return handles.filter(({ target }, index) => isLeftover(target, records[index]));
  }

  private async end(handle: TaskHandle): Promise<void> {
    const { signal } = this.ending;
    if (!handle.isGated && !(await this.hasEnded(handle))) return this.requestEnd(handle);
    if (!signal.aborted) await releaseTask(this.scheduling, handle);
  }

  private async requestEnd(handle: TaskHandle): Promise<void> {
    const { backend, clock } = this.scheduling;
    const request = this.endRequests.get(handle.uid) ?? { backOff: new BackOff(clock, ASK_AGAIN), againAt: 0 };
    this.endRequests.set(handle.uid, request);
    if (clock.monotonicNow() < request.againAt) return;
    request.backOff.failed();
    request.againAt = clock.monotonicNow() + request.backOff.nextMs();
    await backend.cancel(handle, this.graceMs);
    request.againAt = Infinity;
  }

  private async hasEnded(handle: TaskHandle): Promise<boolean> {
    for await (const state of this.scheduling.backend.watch(handle, this.ending.signal)) return isTaskEnd(state);
    return true;
  }

  private report(error: unknown): void {
    if (this.ending.signal.aborted || error instanceof TaskBackendError || isRegistryFailure(error)) return;
    this.scheduling.emit({ kind: 'error', jobName: undefined, message: 'reconciling tasks failed', error });
  }
}
