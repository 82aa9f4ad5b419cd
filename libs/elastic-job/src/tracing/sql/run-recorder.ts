import {
  beginsWithHandOver,
  describeError,
  ElasticJobError,
  executorDeathIn,
  handOverOf,
  messageOf,
  type SettledOutcome,
  stopCauseOf,
  type Trigger,
} from '../../domain/index.js';
import type { RecordedBegin } from '../execution-event.js';
import type { EventOf } from '../job-event.catalogue.js';
import type { AttemptRow, RunRow } from './own-row.js';
import { type RowSource, WIDTH } from './row-source.js';
import { type ExecutionRow, fitting, type TraceRow } from './trace-row.js';

/** Most causes of an error in a row. */
const MOST_CAUSES = 9;

/** Facts that are the same for all runs of a process. */
export interface RunFacts {
  readonly version: string | null;
  readonly epoch: number | null;
}

/** Rows of the run of an item that is begun, in their latest versions. */
interface BegunRun {
  run: RunRow;
  /** Undefined until its handler is called. */
  execution: ExecutionRow | undefined;
  /** The present call of the handler, if it is not the first. */
  attempt: AttemptRow | undefined;
  calledAt: number;
}

/** Runs that were begun for a trigger, by item. */
interface BegunRuns {
  readonly byItem: Map<number, BegunRun>;
  /** The first call of a handler, which alone tells how late it is. */
  first: { readonly at: number; readonly latenessMs: number } | undefined;
}

/**
 * Turns the events of an item's run into its rows: one of `ELASTIC_JOB_RUN` from its begin on, one of
 * `JOB_EXECUTION_LOG` with the same id once its handler is called, and one of `ELASTIC_JOB_ATTEMPT` for each call of
 * the handler if it is called again.
 */
export class RunRecorder {
  private readonly begunRuns = new WeakMap<Trigger, BegunRuns>();
  /** That of the next event is mostly the same. */
  private last: { readonly trigger: Trigger; readonly runs: BegunRuns } | undefined;

  constructor(
    private readonly rows: RowSource,
    private readonly facts: RunFacts,
  ) {}

  begun(event: EventOf<'begun'>): TraceRow[] {
    const { byItem } = this.runsOf(event.trigger);
    const now = this.rows.now();
    return event.items.map((item) => {
      const run = this.runRow({ ...event, item }, event.begins?.get(item), now);
      byItem.set(item, { run, execution: undefined, attempt: undefined, calledAt: now });
      return run;
    });
  }

  started(event: EventOf<'started'>): TraceRow[] {
    const now = this.rows.now();
    const begun = this.runOf(event, undefined, now);
    begun.calledAt = now;
    // A retry continues the rows of the first call.
    if (begun.execution !== undefined) {
      begun.run = { ...begun.run, attempts: event.attempt };
      begun.attempt = this.attemptRow(begun, event.attempt);
      return [begun.run, begun.attempt];
    }
    begun.run = { ...begun.run, attempts: event.attempt, startedAt: now, latenessMs: this.latenessMs(event, now) };
    begun.execution = this.executionRow(begun.run, event.taskId, now);
    return [begun.execution, begun.run];
  }

  retrying({ trigger, item, attempt, error }: EventOf<'retrying'>): TraceRow[] {
    const begun = this.runsOf(trigger).byItem.get(item);
    if (begun === undefined) return [];
    const row = begun.attempt ?? this.attemptRow(begun, attempt - 1);
    begun.attempt = undefined;
    return [this.endedAttempt(row, describeFailure(error))];
  }

  settled(event: EventOf<'settled'>): TraceRow[] {
    const { trigger, item, outcome, durationMs, begin } = event;
    const now = this.rows.now();
    const begunAt = now - Math.round(durationMs);
    const { run, execution, attempt } = this.runOf(event, begin, begunAt);
    this.runsOf(trigger).byItem.delete(item);
    const failure = causeOf(outcome);
    const failureCause = failure === null ? null : fitting(failure, WIDTH.text);
    // An item that was aborted before its handler was called has no such row yet.
    const ended = execution ?? this.executionRow(run, event.taskId, begunAt);
    const rows: TraceRow[] = [
      { ...ended, isSuccess: failure === null, failureCause, completeTime: now },
      { ...run, outcome: outcome.kind, cause: wordOf(outcome), settledAt: now },
    ];
    if (attempt !== undefined) rows.push(this.endedAttempt(attempt, failure));
    return rows;
  }

  private runsOf(trigger: Trigger): BegunRuns {
    if (this.last?.trigger === trigger) return this.last.runs;
    const runs = this.begunRuns.get(trigger) ?? { byItem: new Map(), first: undefined };
    this.begunRuns.set(trigger, runs);
    this.last = { trigger, runs };
    return runs;
  }

  private runOf(event: EventOf<'started' | 'settled'>, begin: RecordedBegin | undefined, begunAt: number): BegunRun {
    const { byItem } = this.runsOf(event.trigger);
    const known = byItem.get(event.item);
    if (known !== undefined) return known;
    const run = this.runRow(event, begin, begunAt);
    const made = { run, execution: undefined, attempt: undefined, calledAt: begunAt };
    byItem.set(event.item, made);
    return made;
  }

  private runRow(
    { trigger, taskId: named, item }: { readonly trigger: Trigger; readonly taskId: string; readonly item: number },
    begin: RecordedBegin | undefined,
    begunAt: number,
  ): RunRow {
    const { taskId, instance } = this.rows.task(named);
    return {
      table: 'run',
      id: this.rows.id(),
      number: this.rows.number(),
      jobName: fitting(trigger.jobName, WIDTH.jobName),
      shardingItem: item,
      fireTime: trigger.fireTime,
      origin: fitting(trigger.origin, WIDTH.origin),
      source: trigger.source,
      outcome: null,
      cause: null,
      run: begin?.run ?? null,
      token: begin?.token ?? null,
      launch: begin?.launch ?? null,
      epoch: this.facts.epoch,
      instance,
      version: this.facts.version,
      taskId,
      begunAt: begin?.begunAt ?? begunAt,
      startedAt: null,
      settledAt: null,
      latenessMs: null,
      attempts: 0,
    };
  }

  private executionRow({ id, jobName, shardingItem, source }: RunRow, named: string, startTime: number): ExecutionRow {
    const { taskId, ip } = this.rows.task(named);
    return {
      table: 'execution',
      id,
      number: this.rows.number(),
      jobName,
      taskId,
      hostname: this.rows.hostname,
      ip,
      shardingItem,
      executionSource: source,
      failureCause: null,
      isSuccess: false,
      startTime,
      completeTime: null,
    };
  }

  private attemptRow({ run, calledAt }: BegunRun, attempt: number): AttemptRow {
    const { id: runId, jobName, shardingItem } = run;
    return {
      table: 'attempt',
      id: `${runId}-${attempt}`,
      number: this.rows.number(),
      runId,
      jobName,
      shardingItem,
      attempt,
      startedAt: calledAt,
      endedAt: null,
      error: null,
    };
  }

  private endedAttempt(row: AttemptRow, failure: string | null): AttemptRow {
    return { ...row, endedAt: this.rows.now(), error: failure === null ? null : fitting(failure, WIDTH.text) };
  }

  /** The items of a run are called one after the other or at once, and are due at the same time. */
  private latenessMs({ trigger, latenessMs }: EventOf<'started'>, now: number): number | null {
    const runs = this.runsOf(trigger);
    if (latenessMs !== undefined) runs.first = { at: now, latenessMs: Math.round(latenessMs) };
    return runs.first === undefined ? null : Math.max(0, runs.first.latenessMs + now - runs.first.at);
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

/**
 * One word that says more of an outcome: who has stopped the run, why it was handed over, how its executor has died, or
 * what a fenced handler had returned. Null if there is none.
 */
function wordOf(outcome: SettledOutcome): string | null {
  switch (outcome.kind) {
    case 'failed':
      return stopCauseOf(outcome.error) ?? executorDeathIn(outcome) ?? null;
    case 'aborted': {
      const { reason } = outcome;
      const code = reason instanceof ElasticJobError ? reason.code.toLowerCase().replaceAll('_', '-') : null;
      return stopCauseOf(reason) ?? handOverOf(reason) ?? code;
    }
    case 'fenced':
      return outcome.unrecorded ?? null;
    default:
      return null;
  }
}

/**
 * A failure, or the reason of an abort. It begins with a word of `HandOver` and a colon only if the run was handed
 * over, so that a query can leave out what is no failure.
 */
export function describeFailure(failure: unknown): string {
  const handOver = handOverOf(failure);
  if (handOver !== undefined) return `${handOver}: ${messageOf(failure)}`;
  const text = describeError(failure, MOST_CAUSES);
  return beginsWithHandOver(text) ? `failed: ${text}` : text;
}
