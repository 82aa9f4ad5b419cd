import { Logger } from '@nestjs/common';
import type { SettledOutcome } from '../domain/index.js';
import type { JobEvent, JobEventSink } from '../tracing/index.js';
import { visibleStack, visibleText } from './visible-text.js';

type EventOf<Kind extends JobEvent['kind']> = Extract<JobEvent, { kind: Kind }>;

/** What somebody should look at, though the job goes on. */
type Concern = EventOf<
  | 'skipped'
  | 'missed'
  | 'early'
  | 'sharding-timeout'
  | 'misfired'
  | 'hung'
  | 'orphaned'
  | 'configuration-differs'
  | 'history-dropped'
  | 'dependency-not-met'
  | 'warning'
  | FailoverConcern
  | HandlerConcern
  | MarkConcern
>;
type HandlerConcern = 'retrying' | 'error-handler-failed';
type MarkConcern = 'settle-delayed' | 'mark-released';
type FailoverConcern = 'failover-overflow' | 'failover-purged' | 'executor-died';

/** Nest's levels that lines are written at, and none. */
export const LOG_LEVELS = ['debug', 'log', 'warn', 'error', 'off'] as const;

/** The `tickTime` of ZooKeeper's servers unless they are told otherwise. */
const ZOOKEEPER_TICK_MS = 2_000;

/** The lines about jobs in the application's log. */
export interface LogSinkOptions {
  readonly type: 'log';
  /**
   * The lowest level that is written; each run is told at `debug`.
   * @default 'debug': the application's logger decides
   */
  readonly level?: 'debug' | 'log' | 'warn' | 'error' | 'off';
}

interface EventLoggerOptions extends Partial<LogSinkOptions> {
  /** The registry is one that no other application shares. */
  readonly isEmbedded: boolean;
}

export function isLogSinkOptions(sink: object): sink is LogSinkOptions {
  return 'type' in sink && sink.type === 'log';
}

/** The one place that turns what happens to jobs into log lines, under the context `ElasticJob`. */
export class EventLogger implements JobEventSink {
  readonly name = 'log';
  private readonly logger: LineLogger;

  private readonly isEmbedded: boolean;

  constructor({ level, isEmbedded }: EventLoggerOptions) {
    this.logger = loggerFrom(level ?? 'debug');
    this.isEmbedded = isEmbedded;
  }

  hear(event: JobEvent): void {
    switch (event.kind) {
      case 'session':
        return this.session(event);
      case 'settled':
        return this.settled(event);
      case 'joined':
        return this.logger.log(`${event.jobName}: joined as ${event.instanceId}`);
      case 'left':
        return this.logger.log(`${event.jobName}: left as ${event.instanceId}`);
      case 'leader-elected':
        return this.logger.log(`${event.jobName}: ${event.instanceId} leads, term ${event.term}`);
      case 'resharded':
        return this.logger.log(`${event.jobName}: resharded, ${describeAssignment(event.assignment)}`);
      case 'claimed':
        return this.logger.log(`${event.jobName}: claimed ${items(event.items)}, ${event.source}`);
      case 'trigger-requested':
        return this.logger.log(`${event.trigger.jobName}: triggered by an operator, ${event.trigger.origin}`);
      case 'server-switched':
        return this.logger.log(
          `${event.jobName}: server ${event.serverIp} is ${event.status ?? 'neither enabled nor disabled'}`,
        );
      case 'postponed':
        return this.logger.log(
          `${event.trigger.jobName}: ${items(event.items)} not free, run for ${event.trigger.origin} once they are`,
        );
      case 'triggered':
      case 'begun':
      case 'finished':
        return this.logger.debug(`${event.trigger.jobName}: ${event.kind}, ${items(event.items)}`);
      case 'started':
        return this.logger.debug(`${event.trigger.jobName}: item ${event.item} started`);
      case 'refused':
        return this.logger.debug(`${event.trigger.jobName}: ${items(event.items)} not begun, ${event.cause}`);
      case 'clock':
        return this.clock(event);
      case 'error':
        return this.error(`${event.jobName ?? 'registry'}: ${event.message}`, event.error);
      case 'mixed':
        return this.mixed(event);
      default:
        return this.concern(event);
    }
  }

  private clock({ state, offsetMs }: Extract<JobEvent, { kind: 'clock' }>): void {
    if (state === 'registry-wrong') {
      return this.logger.warn(
        `registry: its clock is wrong, by ${-offsetMs} ms as most instances say; let NTP set the clocks of its servers`,
      );
    }
    if (state === 'behind') {
      return this.logger.error(
        `registry: the clock of this host is ${-offsetMs} ms behind the registry's; fire times come late; let NTP set it`,
      );
    }
    if (state === 'trusted') return this.logger.log('registry: fire times come by the clock of this host again');
    this.logger.error(
      `registry: the clock of this host is ${offsetMs} ms ahead of the registry's; fire times wait until they are due by the registry's`,
    );
  }

  private mixed({ jobName, peers, unshareable }: Extract<JobEvent, { kind: 'mixed' }>): void {
    const message = `${jobName}: shared with ${peers.join(', ')}`;
    if (unshareable.length === 0) return this.logger.log(message);
    this.logger.error(`${message}; nothing is begun until they leave or these are changed: ${unshareable.join('; ')}`);
  }

  private concern(event: Concern): void {
    switch (event.kind) {
      case 'skipped':
        return this.logger.warn(
          `${event.trigger.jobName}: skipped ${instant(event.trigger.fireTime)}, ${event.reason}`,
        );
      case 'sharding-timeout':
        return this.logger.warn(
          `${event.jobName}: not resharded in time for ${instant(event.fireTime)}; going on with the last assignment`,
        );
      case 'misfired':
        return this.logger.warn(`${event.jobName}: ${items(event.items)} still running, misfired`);
      case 'missed':
        return this.logger.warn(`${event.jobName}: ${items(event.items)} missed ${span(event)}, ${event.reason}`);
      case 'early':
        return this.logger.error(
          `${event.jobName}: ${items(event.items)} begun for ${instant(event.fireTime)}, which is yet to come by the registry's clock; ` +
            'fire times up to then may run twice',
        );
      case 'hung':
        return this.hung(event);
      case 'orphaned':
        return this.logger.warn(`${event.jobName}: ${items(event.items)} of a crashed instance queued for failover`);
      case 'failover-overflow':
        return this.logger.error(
          `${event.jobName}: the failover queue is full; ${items(event.items)} of a run that was not done dropped`,
        );
      case 'failover-purged':
        return this.logger.warn(`${event.jobName}: ${items(event.items)} removed from the failover queue`);
      case 'settle-delayed':
        return this.logger.error(
          `${event.jobName}: the end of ${items(event.items)} is not recorded since ${instant(event.since)}, ` +
            `and is tried again: ${text(event.error)}`,
        );
      case 'mark-released':
        return this.logger.warn(
          `${event.jobName}: item ${event.item} was marked (${event.marks.join(', ')}) in the name of this instance, ` +
            'which did not run it; released',
        );
      case 'executor-died':
        return this.executorDied(event);
      case 'retrying':
        return this.retrying(event);
      case 'error-handler-failed':
        return this.error(`${event.jobName}: a failure could not be handed to ${event.type}`, event.error);
      case 'dependency-not-met':
        return this.logger.warn(
          `${event.jobName}: not started for ${instant(event.fireTime)}, the run of ${event.parent} is ${event.reason}`,
        );
      case 'configuration-differs':
        return this.logger.warn(
          `${event.jobName}: the registry overrules, ${event.differences.join('; ')}; edit it there, or set overwrite: true here`,
        );
      case 'history-dropped':
        return this.logger.warn(`history ${event.sink}: ${event.count} rows dropped`);
      case 'warning':
        return this.logger.warn(`${event.jobName ?? 'registry'}: ${event.message}`);
      default:
        return event satisfies never;
    }
  }

  private hung({ trigger, item, since, reason, isReleased }: EventOf<'hung'>): void {
    const consequence = isReleased ? 'the item is given up to others' : 'the item starts nowhere until it returns';
    this.logger.error(
      `${trigger.jobName}: the handler of item ${item} has not returned since it was aborted at ${instant(since)} ` +
        `(${text(reason)}); ${consequence}`,
    );
  }

  private retrying({ trigger, item, attempt, error, delayMs }: EventOf<'retrying'>): void {
    this.logger.warn(
      `${trigger.jobName}: item ${item} failed, attempt ${attempt} in ${Math.round(delayMs)} ms: ${text(error)}`,
    );
  }

  private executorDied({ trigger, item, state, requeue }: EventOf<'executor-died'>): void {
    const line = `${trigger.jobName}: the executor of item ${item} is ${state}`;
    if (requeue === 'exhausted') return this.logger.error(`${line}; too often for one target, which is given up`);
    if (requeue === 'hold') return this.logger.error(`${line}; the item stays where it is until this session ends`);
    this.logger.warn(requeue === 'queue' ? `${line}; queued for failover` : line);
  }

  private session({ state, sessionId, timeoutMs }: EventOf<'session'>): void {
    const line = `session ${sessionId ?? '(none)'} ${state}`;
    if (state === 'CONNECTED' && this.isEmbedded) return this.embedded(line);
    if (state === 'CONNECTED') return this.logger.log(`${line}, ${describeTimeout(timeoutMs)}`);
    if (state === 'LOST') return this.logger.error(line);
    return state === 'SUSPENDED' ? this.logger.warn(line) : this.logger.log(line);
  }

  private embedded(line: string): void {
    const message = `${line} with the embedded registry, which is for this process only: another one runs every item too`;
    if (process.env['NODE_ENV'] === 'production') this.logger.warn(message);
    else this.logger.log(message);
  }

  private settled({ trigger, item, outcome, durationMs }: EventOf<'settled'>): void {
    const line = `${trigger.jobName}: item ${item} ${outcome.kind} after ${Math.round(durationMs)} ms`;
    this.outcome(line, outcome);
  }

  private outcome(line: string, outcome: SettledOutcome): void {
    switch (outcome.kind) {
      case 'succeeded':
        return this.logger.debug(line);
      case 'failed':
        return this.logger.debug(`${line}: ${text(outcome.error)}`); // The error handler decides what is told of it.
      case 'aborted':
        return this.logger.warn(`${line}: ${text(outcome.reason)}`);
      case 'fenced':
        return this.logger.warn(`${line}: another run of it holds the newer token`);
      default:
        return outcome satisfies never;
    }
  }

  /** What a handler throws may be anything. */
  private error(line: string, error: unknown): void {
    if (error instanceof Error) this.logger.error(`${line}: ${error.message}`, stackOf(error));
    else this.logger.error(`${line}: ${text(error)}`);
  }
}

type LineLogger = Readonly<Record<'debug' | 'log' | 'warn', (line: string) => void>> & {
  error(line: string, stack?: string): void;
};

/** What is logged names jobs, instances and errors of others: it becomes lines in which nothing is hidden. */
/** What a session's length means for failover: the servers look once a tick. */
function describeTimeout(timeoutMs: number): string {
  const [first, last] = [timeoutMs, timeoutMs + ZOOKEEPER_TICK_MS].map((ms) => Math.round(ms / 100) / 10);
  return `granted for ${timeoutMs} ms: a crash is noticed after about ${first} to ${last} s`;
}

function loggerFrom(lowest: (typeof LOG_LEVELS)[number]): LineLogger {
  const logger = new Logger('ElasticJob');
  const at = (level: 'debug' | 'log' | 'warn' | 'error') => (line: string, stack?: string) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest)) return;
    if (stack === undefined) logger[level](visibleText(line));
    else logger[level](visibleText(line), stack);
  };
  return { debug: at('debug'), log: at('log'), warn: at('warn'), error: at('error') };
}

function stackOf({ stack, message }: Error): string | undefined {
  return typeof stack === 'string' ? visibleStack(stack, text(message)) : undefined;
}

function describeAssignment(assignment: ReadonlyMap<number, string>): string {
  const byInstance = new Map<string, number[]>();
  for (const [item, instanceId] of assignment) {
    byInstance.set(instanceId, [...(byInstance.get(instanceId) ?? []), item]);
  }
  return [...byInstance].map(([instanceId, own]) => `${instanceId}: ${own.join(',')}`).join('; ');
}

function items(list: readonly number[]): string {
  return list.length === 1 ? `item ${list[0]}` : `items ${list.join(',') || 'none'}`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function span({ count, fireTime, since }: EventOf<'missed'>): string {
  return count === 1 ? instant(fireTime) : `${count} fire times from ${instant(since)} to ${instant(fireTime)}`;
}

function text(value: unknown): string {
  try {
    return value instanceof Error ? value.message : String(value);
  } catch {
    return 'a value that cannot be shown';
  }
}
