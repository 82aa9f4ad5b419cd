/**
 * Handling of a job's failures.
 *
 * Three types are handled here, each failure by itself: `LOG` sends an `error` event, which the log writes; `IGNORE`
 * does nothing; `THROW` fails the run as a whole. All other types are channels to the outside. They get failures of one
 * kind once per window, a few deliveries at a time, each with a time limit.
 *
 * Guarantees: a job never waits for a channel and is never affected by one. Memory is bounded: 1,000 kinds of failures,
 * 100 waiting deliveries. A report that cannot be delivered goes to the log instead, and an `error-handler-failed`
 * event has the reason.
 */
import { inOwnContext } from '../../async-context/index.js';
import { type Clock, Deadline, HeldBack } from '../../clock/index.js';
import {
  assertNoFaults,
  ConfigurationError,
  type FailureReport,
  faultsOf,
  GREATEST_INT,
  handleLateReason,
  handleRejection,
  type JobConfiguration,
  type JobErrorHandler,
  type JobFailure,
  type JobProps,
  joinReports,
  kindOfFailure,
  type OnThrown,
  type PropTargets,
  type Redact,
  redactThrown,
} from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { Deliveries, DeliveryError } from './deliveries.js';

/** Type of jobs that name none. */
const DEFAULT_TYPE = 'LOG';
/** Types that are no channels. */
const ANSWERS: readonly string[] = [DEFAULT_TYPE, 'IGNORE', 'THROW'];
/** How long failures of one kind are held back after a report, in milliseconds. */
export const DEFAULT_ERROR_WINDOW_MS = 300_000;
const DEFAULT_TIME_LIMIT_MS = 10_000;
/** Most kinds of failures that are remembered. */
const MOST_KINDS = 1_000;

/** Channels of this package, each with the way to enable it. */
const OURS: ReadonlyMap<string, string> = new Map([
  ['EMAIL', "new EmailErrorHandler() of 'nestjs-elastic-job/email'"],
  ['WECHAT', 'new WechatErrorHandler()'],
  ['DINGTALK', 'new DingtalkErrorHandler()'],
  ['SLACK', 'new SlackErrorHandler()'],
  ['WEBHOOK', 'new WebhookErrorHandler()'],
]);

type HandledJob = Pick<JobConfiguration, 'jobErrorHandlerType' | 'jobName' | 'props'>;

/** A failure with the settings that were in force when it happened. */
interface HeldFailure {
  readonly report: FailureReport;
  readonly job: HandledJob;
}

/** Hands the failures of all jobs of a process to the error handlers that the jobs name. */
export class JobErrorHandlers {
  private readonly channels: ReadonlyMap<string, JobErrorHandler>;
  private readonly heldBack: HeldBack<HeldFailure>;
  private readonly deliveries = new Deliveries();
  private readonly ending = new AbortController();

  /**
   * @param channels types that jobs may name besides the three: nothing leaves the process unless it enables a channel
   * @param windowMs how long failures of one kind are held back after a report, in milliseconds
   * @param redact applied to reports before delivery. @default reports stay as they are
   * @throws {ConfigurationError} if two have the same type
   */
  constructor(
    private readonly clock: Clock,
    private readonly events: JobEvents,
    channels: readonly JobErrorHandler[],
    windowMs: number,
    private readonly redact?: Redact,
  ) {
    this.channels = byType(channels);
    this.heldBack = new HeldBack(clock, {
      windowMs,
      mostKinds: MOST_KINDS,
      join: (held, next) => ({ ...next, report: joinReports(held.report, next.report) }),
      deliver: ({ report, job }) => this.send(Object.freeze(report), job),
    });
  }

  /** Props of all channels that decide the recipients and their secrets. */
  get targets(): PropTargets {
    return Object.assign({}, ...[...this.channels.values()].map(({ targets }) => targets));
  }

  /**
   * @throws {ConfigurationError} if this process has no error handler of the job's type, or if props are missing or
   * wrong
   */
  assertUsable(job: HandledJob, place: string): void {
    assertNoFaults(
      (onThrown) => this.findFaults(job, onThrown),
      (faults, options) => new ConfigurationError(place, faults, options),
    );
  }

  /**
   * As `assertUsable`, for settings that are edited. A type that this process does not know may stay as it was, since
   * the job's own processes know it.
   */
  assertEditable(job: HandledJob, former: Partial<Pick<HandledJob, 'jobErrorHandlerType'>>, place: string): void {
    const type = typeOf(job);
    if (type !== typeOf(former) || this.channels.has(type)) this.assertUsable(job, place);
  }

  /**
   * Handles one failure. Returns at once, and never throws. Failures of a job whose settings have become unusable are
   * handled as by `LOG`.
   * @returns true if the run is to fail with the error
   */
  handle(failure: JobFailure, job: HandledJob): boolean {
    const type = typeOf(job);
    if (type === 'THROW') return true;
    if (type === DEFAULT_TYPE) this.log(failure);
    else if (type !== 'IGNORE') this.handOver(failure, job);
    return false;
  }

  /**
   * Delivers held-back reports, and gives up those that are not delivered within the time, in milliseconds. Never
   * rejects.
   */
  async close(timeoutMs: number): Promise<void> {
    this.heldBack.end();
    if (await Deadline.after(this.clock, timeoutMs).holdsFor(this.deliveries.idle())) return;
    this.ending.abort(new DOMException('The process is shutting down.', 'AbortError'));
    await this.deliveries.idle();
  }

  private findFaults(job: HandledJob, onThrown: OnThrown): readonly string[] {
    const type = typeOf(job);
    if (ANSWERS.includes(type)) return [];
    const channel = this.channels.get(type);
    const field = `jobErrorHandlerType "${job.jobErrorHandlerType}"`;
    if (channel !== undefined)
      return faultsOf(() => inOwnContext(() => channel.findFaults?.(job.props)) ?? [], onThrown).map(
        (fault) => `props: ${fault}, for ${field}`,
      );
    const ours = OURS.get(type);
    const known = [...ANSWERS, ...this.channels.keys()].join(', ');
    const remedy =
      ours === undefined
        ? `known are ${known}; others are given to the module's errorHandlers`
        : `give ${ours} to the module's errorHandlers`;
    return [`${field} is no error handler of this process; ${remedy}`];
  }

  private handOver(failure: JobFailure, job: HandledJob): void {
    try {
      this.assertUsable(job, `job "${job.jobName}"`);
      const now = this.clock.wallNow();
      this.heldBack.add(kindOfFailure(failure), { report: { ...failure, count: 1, since: now, until: now }, job });
    } catch (fault) {
      this.logInstead(failure, job, fault);
    }
  }

  private log({ error, item, jobName }: JobFailure, more = 0): void {
    const message = `item ${item} failed${more === 0 ? '' : `, and ${more} equal failures before it`}`;
    this.events.emit({ kind: 'error', jobName, message, error });
  }

  /** @see ElasticJob, whose channels do so as well */
  private logInstead(failure: JobFailure & Partial<FailureReport>, job: HandledJob, fault: unknown): void {
    this.log(failure, (failure.count ?? 1) - 1);
    this.events.emit({ kind: 'error-handler-failed', jobName: job.jobName, type: typeOf(job), error: fault });
  }

  private send(report: FailureReport, job: HandledJob): void {
    const { error, item, jobName } = report;
    // The channel has no reason yet. A report that goes to the log has it.
    const message = `item ${item} failed, and the promise that was thrown has rejected`;
    handleLateReason(error, (reason) => this.events.emit({ kind: 'error', jobName, message, error: reason }));
    if (this.deliveries.add(() => this.deliver(report, job))) return;
    this.logInstead(report, job, new DeliveryError(typeOf(job), 'too many other reports are waiting'));
  }

  private async deliver(report: FailureReport, job: HandledJob): Promise<void> {
    const { redact } = this;
    const told = redact === undefined ? report : { ...report, error: redactThrown(report.error, redact) };
    const type = typeOf(job);
    const { props } = job;
    const limit = new AbortController();
    const signal = AbortSignal.any([limit.signal, this.ending.signal]);
    try {
      const handler = this.channels.get(type)!;
      const timeoutMs = timeLimitOf(handler, props);
      const late = (): never => {
        limit.abort(new DeliveryError(type, `no answer within ${timeoutMs} ms`));
        throw limit.signal.reason;
      };
      const channel = { props, now: this.clock.wallNow(), signal };
      signal.throwIfAborted();
      const delivering = async () => inOwnContext(() => handler.handle(told, channel));
      await Deadline.after(this.clock, timeoutMs).bounds(delivering(), late, this.ending.signal);
    } catch (fault) {
      this.logInstead(report, job, fault);
    }
  }
}

/** The channel's own limit, unless that is no length of time. */
function timeLimitOf(handler: JobErrorHandler, props: JobProps): number {
  const given: unknown = inOwnContext(() => handler.timeLimitMs?.(props)) ?? DEFAULT_TIME_LIMIT_MS;
  handleRejection(given);
  return typeof given === 'number' && given > 0 && given <= GREATEST_INT ? given : DEFAULT_TIME_LIMIT_MS;
}

function typeOf({ jobErrorHandlerType = DEFAULT_TYPE }: Partial<Pick<HandledJob, 'jobErrorHandlerType'>>): string {
  return jobErrorHandlerType.toUpperCase();
}

function byType(handlers: readonly JobErrorHandler[]): ReadonlyMap<string, JobErrorHandler> {
  const channels = new Map<string, JobErrorHandler>();
  for (const handler of handlers) {
    const type = handler.type.toUpperCase();
    if (channels.has(type) || ANSWERS.includes(type)) {
      throw new ConfigurationError('module options', [
        `errorHandlers: there is more than one of the type "${handler.type}"; give yours another one`,
      ]);
    }
    channels.set(type, handler);
  }
  return channels;
}
