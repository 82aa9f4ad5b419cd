import type { JobName } from '../../domain/index.js';
import type { EventOf } from '../job-event.catalogue.js';
import type { JobEvent } from '../job-event.js';
import type { TraceState } from '../trace-query.js';
import { EventRecorder } from './event-recorder.js';
import { type RowSource, WIDTH } from './row-source.js';
import { describeFailure, type RunFacts, RunRecorder } from './run-recorder.js';
import { fitting, type StatusRow, type TraceRow } from './trace-row.js';

/**
 * Turns events into rows. There is no row for TASK_STAGING, which Java writes when a trigger comes: here the items are
 * known only once they are begun, and the row would have the same instant as the next one.
 * @see ElasticJob, `ElasticJobExecutor`: the states, with their texts
 */
export class TraceRecorder {
  private readonly runs: RunRecorder;
  private readonly events: EventRecorder;

  constructor(
    private readonly rows: RowSource,
    facts: RunFacts,
  ) {
    this.runs = new RunRecorder(rows, facts);
    this.events = new EventRecorder(rows);
  }

  /** A later version of a row has the same number and id. */
  rowsOf(event: JobEvent): readonly TraceRow[] {
    switch (event.kind) {
      case 'triggered':
        return event.items.length > 0 ? [] : this.passed(event, `Sharding item for job '${jobOf(event)}' is empty.`);
      case 'misfired':
        return [...this.passed(event, misfireText(event)), ...this.events.rowsOf(event)];
      case 'begun':
        return [this.status(event, 'TASK_RUNNING', ''), ...this.runs.begun(event)];
      case 'started':
        return this.runs.started(event);
      case 'retrying':
        return this.runs.retrying(event);
      case 'settled':
        return this.runs.settled(event);
      case 'finished':
        return [this.finish(event)];
      default:
        return this.events.rowsOf(event);
    }
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
    const { taskId, ip } = this.rows.task(event.taskId);
    return {
      table: 'status',
      id: this.rows.id(),
      number: this.rows.number(),
      jobName: fitting(jobOf(event), WIDTH.jobName),
      taskId,
      slaveId: ip,
      shardingItem: fitting(`[${event.items.join(', ')}]`, WIDTH.items),
      state,
      message: fitting(message, WIDTH.text),
      creationTime: this.rows.now(),
    };
  }
}

function jobOf(event: EventOf<'triggered' | 'misfired' | 'begun' | 'finished'>): JobName {
  return 'jobName' in event ? event.jobName : event.trigger.jobName;
}

function misfireText({ jobName, items }: EventOf<'misfired'>): string {
  return (
    `Previous job '${jobName}' - shardingItems '[${items.join(', ')}]' is still running, ` +
    'misfired job will start after previous job completed.'
  );
}
