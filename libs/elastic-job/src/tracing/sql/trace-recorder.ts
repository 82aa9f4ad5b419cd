import { type Clock, RowIds } from '../../clock/index.js';
import {
  beginsWithHandOver,
  describeError,
  handOverOf,
  type JobName,
  messageOf,
  serverIpOfTask,
  type SettledOutcome,
  type Trigger,
} from '../../domain/index.js';
import type { JobEvent } from '../job-event.js';
import type { TraceState } from '../trace-query.js';
import { type ExecutionRow, fitting, type StatusRow, type TraceRow } from './trace-row.js';

type EventOf<Kind extends JobEvent['kind']> = Extract<JobEvent, { kind: Kind }>;

/** Most causes of an error in a row. */
const MOST_CAUSES = 9;

/** Widths of ElasticJob's columns, in UTF-16 units. */
const WIDTH = { jobName: 100, taskId: 255, host: 255, ip: 50, items: 100, text: 4_000 };

/**
 * Turns events into rows. There is no row for TASK_STAGING, which Java writes when a trigger comes: here the items are
 * known only once they are begun, and the row would have the same instant as the next one.
 * @see ElasticJob, `ElasticJobExecutor`: the states, with their texts
 */
export class TraceRecorder {
  /** Rows of items that have started, by their trigger. */
  private readonly started = new WeakMap<Trigger, Map<number, ExecutionRow>>();
  private readonly ids: RowIds;
  private readonly hostname: string;
  private rows = 0;
  /** The task of the last row: that of the next one is mostly the same. */
  private lastTask = { named: '', taskId: '', ip: '' };

  constructor(private readonly clock: Clock) {
    this.ids = new RowIds(clock);
    this.hostname = fitting(clock.hostName(), WIDTH.host);
  }

  /** Most events have none. A later version of a row has the same id. */
  rowsOf(event: JobEvent): readonly TraceRow[] {
    switch (event.kind) {
      case 'triggered':
        return event.items.length > 0 ? [] : this.passed(event, `Sharding item for job '${jobOf(event)}' is empty.`);
      case 'misfired':
        return this.passed(event, misfireText(event));
      case 'begun':
        return [this.status(event, 'TASK_RUNNING', '')];
      case 'started':
        return this.start(event);
      case 'settled':
        return [this.settle(event)];
      case 'finished':
        return [this.finish(event)];
      default:
        return [];
    }
  }

  private start(event: EventOf<'started'>): ExecutionRow[] {
    const { trigger, item } = event;
    const items = this.started.get(trigger) ?? new Map<number, ExecutionRow>();
    // A retry continues the row of the first attempt.
    if (items.has(item)) return [];
    const row = this.execution(event, this.clock.wallNow());
    this.started.set(trigger, items.set(item, row));
    return [row];
  }

  private settle(event: EventOf<'settled'>): ExecutionRow {
    const { trigger, item, outcome, durationMs } = event;
    const now = this.clock.wallNow();
    // An item that was aborted before its handler was called has no row yet.
    const row = this.started.get(trigger)?.get(item) ?? this.execution(event, now - Math.round(durationMs));
    this.started.get(trigger)?.delete(item);
    const cause = causeOf(outcome);
    const failureCause = cause === null ? null : fitting(cause, WIDTH.text);
    return { ...row, isSuccess: cause === null, failureCause, completeTime: now };
  }

  private finish(event: EventOf<'finished'>): StatusRow {
    if (event.failures.size === 0) return this.status(event, 'TASK_FINISHED', '');
    const failures = [...event.failures].map(([item, failure]) => `${item}=${describeFailure(failure)}`);
    return this.status(event, 'TASK_ERROR', `{${failures.join(', ')}}`);
  }

  /** Items that were to run, and did not. */
  private passed(event: EventOf<'triggered' | 'misfired'>, why: string): StatusRow[] {
    return [this.status(event, 'TASK_FINISHED', why)];
  }

  private status(
    event: EventOf<'triggered' | 'misfired' | 'begun' | 'finished'>,
    state: TraceState,
    message: string,
  ): StatusRow {
    const { taskId, ip } = this.task(event.taskId);
    return {
      table: 'status',
      id: this.ids.next(),
      number: (this.rows += 1),
      jobName: fitting(jobOf(event), WIDTH.jobName),
      taskId,
      slaveId: ip,
      shardingItem: fitting(`[${event.items.join(', ')}]`, WIDTH.items),
      state,
      message: fitting(message, WIDTH.text),
      creationTime: this.clock.wallNow(),
    };
  }

  private execution(event: EventOf<'started' | 'settled'>, startTime: number): ExecutionRow {
    const { trigger, item } = event;
    const { taskId, ip } = this.task(event.taskId);
    return {
      table: 'execution',
      id: this.ids.next(),
      number: (this.rows += 1),
      jobName: fitting(trigger.jobName, WIDTH.jobName),
      taskId,
      hostname: this.hostname,
      ip,
      shardingItem: item,
      executionSource: trigger.source,
      failureCause: null,
      isSuccess: false,
      startTime,
      completeTime: null,
    };
  }

  private task(named: string): { readonly taskId: string; readonly ip: string } {
    if (this.lastTask.named !== named) {
      const ip = fitting(serverIpOfTask(named), WIDTH.ip);
      this.lastTask = { named, taskId: fitting(named, WIDTH.taskId), ip };
    }
    return this.lastTask;
  }
}

function causeOf(outcome: SettledOutcome): string | null {
  switch (outcome.kind) {
    case 'succeeded':
      return null;
    case 'failed':
      return describeFailure(outcome.error);
    case 'aborted':
      return describeFailure(outcome.reason);
    case 'fenced':
      if (outcome.unrecorded !== undefined) {
        return `The handler had returned (${outcome.unrecorded}), but the lease was over before that was confirmed.`;
      }
      return 'The lease is over: another run has the item, the session has ended, or the job was removed.';
    default:
      return outcome satisfies never;
  }
}

function jobOf(event: EventOf<'triggered' | 'misfired' | 'begun' | 'finished'>): JobName {
  return 'jobName' in event ? event.jobName : event.trigger.jobName;
}

/**
 * A failure, or the reason of an abort. It begins with a word of `HandOver` and a colon only if the run was handed
 * over, so that a query can leave out what is no failure.
 */
function describeFailure(failure: unknown): string {
  const handOver = handOverOf(failure);
  if (handOver !== undefined) return `${handOver}: ${messageOf(failure)}`;
  const text = describeError(failure, MOST_CAUSES);
  return beginsWithHandOver(text) ? `failed: ${text}` : text;
}

function misfireText({ jobName, items }: EventOf<'misfired'>): string {
  return (
    `Previous job '${jobName}' - shardingItems '[${items.join(', ')}]' is still running, ` +
    'misfired job will start after previous job completed.'
  );
}
