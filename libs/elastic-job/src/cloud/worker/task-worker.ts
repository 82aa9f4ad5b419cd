import { type Clock, Deadline } from '../../clock/index.js';
import {
  JobTimeoutError,
  LeaseLostError,
  type Redact,
  redactThrown,
  TaskTerminatedError,
  type Trigger,
} from '../../domain/index.js';
import { type ChannelGrant, leftOfGrant } from '../task-channel.js';
import { findTaskAnswers, parseTaskEnvelope } from '../task-envelope-text.js';
import type { TaskEnvelope } from '../task-envelope.js';
import { TASK_EXIT, taskReport, type TaskReport } from '../task-report.js';
import { cannotBe, CRASHED, crashed, endOf, endProcess, exitNow, guardProcess, type TaskEnd } from './task-end.js';
import { runItem, type TaskWork } from './run-item.js';
import { TaskCheckpoint, TaskLease } from './task-lease.js';
import { TaskHold } from './task-hold.js';
import { TaskReporter } from './worker-channel.js';
import { TaskBootTimeoutError, TaskLeftError } from './worker.errors.js';

export type { TaskWork } from './run-item.js';

/** Longest time of each step, in milliseconds. */
export interface WorkerLimits {
  /** From the start of the process's task until its application has booted. */
  readonly bootTimeoutMs: number;
  /** Time to close the application. */
  readonly closeTimeoutMs: number;
  /** Time from the report until the process has ended by itself. */
  readonly exitTimeoutMs: number;
}

/** The application of a task, once it has booted. */
export interface TaskApplication {
  /** Applied to reports. */
  readonly redact: Redact | undefined;
  /** Finds the work that runs the item. @throws the reason why it cannot run */
  workOf(envelope: TaskEnvelope, trigger: Trigger): Promise<TaskWork>;
  close(): Promise<void>;
}

/** Between the last report and SIGKILL, in milliseconds. */
const MARGIN_MS = 500;
const EXIT_CODES: readonly number[] = Object.values(TASK_EXIT);

/** One task from the text of its envelope to the end of its process. */
export class TaskWorker {
  private readonly begunAt: number;
  private readonly reporter: TaskReporter;
  private readonly hold: TaskHold;
  private lease: TaskLease | undefined;
  private application: TaskApplication | undefined;
  private runSince: number | undefined;
  /** The time at which it is killed, after it was told to end. */
  private killed: Deadline | undefined;

  /** @param write writes errors for people */
  constructor(
    private readonly text: string,
    private readonly clock: Clock,
    private readonly limits: WorkerLimits,
    private readonly write: (message: string, error: unknown) => void,
  ) {
    this.begunAt = clock.monotonicNow();
    const catchUp = (isEnough: () => boolean) => this.reporter.channel?.catchUp(isEnough);
    this.hold = new TaskHold(clock, (reason) => this.lose(reason), catchUp);
    this.reporter = new TaskReporter(findTaskAnswers(text), {
      onHeld: (grant) => this.take(grant),
      onLost: (reason) => this.hold.lose(new Error(reason)),
    });
  }

  /** Resolves once the end is reported; the process ends then. Never rejects. */
  async run(boot: (envelope: TaskEnvelope) => Promise<TaskApplication>): Promise<TaskReport> {
    guardProcess({
      onTerminate: () => this.terminate(),
      onCrash: (error) => this.crash(error),
      onExit: (exitCode) => this.leave(exitCode),
    });
    const end = await this.work(boot);
    const report = this.reportOf(end);
    if (end.error !== undefined) this.log(`the task has ended, ${end.outcome}`, end.error);
    const isClosed = await this.close();
    await this.report(report);
    this.reporter.channel?.close();
    endProcess(end.exitCode, (exit) => this.clock.setTimer(isClosed ? this.limits.exitTimeoutMs : 0, exit).unref?.());
    return report;
  }

  private async work(boot: (envelope: TaskEnvelope) => Promise<TaskApplication>): Promise<TaskEnd> {
    try {
      const envelope = parseTaskEnvelope(this.text);
      if (this.reporter.channelFault !== undefined) throw this.reporter.channelFault;
      const lease = (this.lease = this.leaseOf(envelope));
      const booting = boot(envelope).then(async (application) => {
        await this.hold.begin(this.reporter.channel !== undefined);
        return application;
      });
      const booted = await this.bootWithin(booting, lease);
      if (booted === 'aborted') return endOf({ kind: 'aborted', reason: lease.signal.reason });
      this.application = booted;
      const work = await booted.workOf(envelope, lease.trigger);
      // A lost lease does not come back, so the item would wait for ever.
      if (!lease.isHeld) return endOf({ kind: 'aborted', reason: lease.signal.reason });
      this.runSince = this.clock.monotonicNow();
      return endOf(await runItem(this.clock, envelope, lease, work, this.hungGraceMs(envelope)));
    } catch (error) {
      return cannotBe(error);
    }
  }

  private async bootWithin(
    booting: Promise<TaskApplication>,
    { signal }: TaskLease,
  ): Promise<TaskApplication | 'aborted'> {
    const { bootTimeoutMs } = this.limits;
    const late = (): never => {
      throw new TaskBootTimeoutError(bootTimeoutMs);
    };
    try {
      return await Deadline.after(this.clock, bootTimeoutMs).bounds(booting, late, signal);
    } catch (error) {
      if (signal.aborted) return 'aborted';
      throw error;
    }
  }

  private leaseOf(envelope: TaskEnvelope): TaskLease {
    const { jobName, shardingItem, timeoutMs } = envelope;
    const { channel } = this.reporter;
    const save = channel && ((value: unknown) => channel.save(envelope, value));
    const checkpoint = new TaskCheckpoint(envelope, save, () => lease.isHeld);
    const lease: TaskLease = new TaskLease(envelope, `task-${this.clock.pid()}`, checkpoint, () => this.hold.isHeld);
    if (timeoutMs !== undefined) {
      const reason = new JobTimeoutError(jobName, shardingItem, timeoutMs);
      this.hold.limit(this.begunAt + timeoutMs, () => lease.abort(reason));
    }
    return lease;
  }

  private take(grant: ChannelGrant): void {
    // Read first, so that a pause between the two clocks shortens the grant.
    const now = this.clock.monotonicNow();
    this.hold.grant(leftOfGrant(grant), now);
  }

  private lose(cause: unknown): void {
    const { lease } = this;
    lease?.abort(new LeaseLostError(lease.jobName, lease.items[0], { cause }));
  }

  private terminate(): void {
    const { lease } = this;
    if (lease === undefined) return;
    this.killed ??= Deadline.after(this.clock, lease.graceMs);
    lease.abort(new TaskTerminatedError(lease.jobName, lease.items[0]));
  }

  /** The handler's part of the grace; the rest is for closing the application. */
  private hungGraceMs({ graceMs }: TaskEnvelope): number {
    return graceMs - Math.min(this.limits.closeTimeoutMs + MARGIN_MS, graceMs / 2);
  }

  /** @returns false if it was not closed in time, or has never booted */
  private async close(): Promise<boolean> {
    const { application } = this;
    if (application === undefined) return false;
    const { closeTimeoutMs } = this.limits;
    const timeoutMs = Math.min(closeTimeoutMs, this.killed?.less(MARGIN_MS).leftMs ?? Infinity);
    try {
      const isClosed = await Deadline.after(this.clock, timeoutMs).holdsFor(application.close());
      if (!isClosed) this.log(`the application has not closed within ${timeoutMs} ms`, undefined);
      return isClosed;
    } catch (error) {
      this.log('closing the application has failed', error);
      return true;
    } finally {
      this.hold.stop();
    }
  }

  private async report(report: TaskReport): Promise<void> {
    try {
      await this.reporter.report(report);
    } catch (error) {
      this.log('the report of the task cannot be sent', error);
    }
  }

  private crash(error: unknown): void {
    this.log('an uncaught error', error);
    if (this.reporter.hasReported) return;
    // If nothing was run before, the application itself is at fault.
    const end = this.runSince === undefined ? cannotBe(error) : crashed(error);
    this.reportNow(end);
    exitNow(end.exitCode);
  }

  private leave(exitCode: number): number {
    if (this.reporter.hasReported) return exitCode;
    this.reportNow(crashed(new TaskLeftError(exitCode)));
    // These codes stand for the end of a run, and this run has not ended. The system keeps the lowest 8 bits.
    return EXIT_CODES.includes(exitCode & 0xff) ? CRASHED : exitCode;
  }

  private reportNow(end: TaskEnd): void {
    try {
      this.reporter.reportNow(this.reportOf(end));
    } catch (error) {
      this.log('the report of the task cannot be sent', error);
    }
  }

  private reportOf({ outcome, error }: TaskEnd): TaskReport {
    const ms = this.runSince === undefined ? 0 : this.clock.monotonicNow() - this.runSince;
    return taskReport(outcome, ms, this.shown(error));
  }

  private log(message: string, error: unknown): void {
    this.write(message, this.shown(error));
  }

  private shown(error: unknown): unknown {
    const redact = this.application?.redact;
    return redact === undefined ? error : redactThrown(error, redact);
  }
}
