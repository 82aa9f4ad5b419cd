import type {
  EventQuery,
  FireTimesAnswer,
  JobHistory,
  JobHistoryEvent,
  JobPulse,
  JobRun,
  MissedFireTimes,
  RunQuery,
  StatisticsBucket,
} from '../../../libs/elastic-job/src/tracing/index.js';
import { HISTORY } from './console.js';

/** 2030-01-01 02:00 UTC. */
export const TWO = Date.UTC(2030, 0, 1, 2);

/** A run that has succeeded in two seconds, but for what is given. */
export function runOf(given: Partial<JobRun> = {}): JobRun {
  return {
    id: 'run-1',
    jobName: 'settle',
    shardingItem: 0,
    fireTime: TWO,
    origin: 'schedule',
    source: 'NORMAL_TRIGGER',
    outcome: 'succeeded',
    cause: undefined,
    error: undefined,
    run: 'begin-1',
    token: '3026418951122',
    epoch: 1,
    instance: '10.0.0.1@-@1',
    ip: '10.0.0.1',
    version: '1.43.1',
    taskId: 'settle@-@0@-@READY@-@10.0.0.1@-@1',
    launch: undefined,
    begunAt: TWO + 5,
    settledAt: TWO + 2_005,
    latenessMs: 5,
    attempts: 1,
    ...given,
  };
}

export function eventOf(given: Partial<JobHistoryEvent> & { readonly kind: string }): JobHistoryEvent {
  return {
    id: 'event-1',
    at: TWO,
    jobName: 'settle',
    items: undefined,
    fireTime: undefined,
    instance: '10.0.0.1@-@1',
    detail: {},
    ...given,
  };
}

export function missedOf(given: Partial<MissedFireTimes> = {}): MissedFireTimes {
  const told = { jobName: 'settle', items: [0], since: TWO, fireTime: TWO, count: 1, reason: 'skipped', at: TWO };
  return { ...told, ...given };
}

/** A history of these rows. It notes what it is asked for, and fails or waits as it is told to. */
export class FakeJobHistory implements JobHistory {
  readonly migrate = HISTORY.migrate;
  readonly executions = HISTORY.executions;
  readonly statuses = HISTORY.statuses;
  readonly countExecutions = HISTORY.countExecutions;
  readonly countStatuses = HISTORY.countStatuses;

  /** Method and query of each question. */
  readonly asked: (readonly [method: string, query: unknown])[] = [];
  rows: readonly JobRun[] = [];
  told: readonly JobHistoryEvent[] = [];
  notBegun: readonly MissedFireTimes[] = [];
  beats: readonly JobPulse[] = [];
  strip: FireTimesAnswer = { columns: [], expectedFrom: 0, isCut: false };
  buckets: readonly StatisticsBucket[] = [];
  /** Rejects each question. */
  fault: Error | undefined;
  /** Each question waits for it. */
  until: Promise<void> = Promise.resolve();
  /** Cursor of each page. */
  cursor: string | undefined;

  async runs(query: RunQuery) {
    await this.note('runs', query);
    return { rows: this.rows.filter(ofJobs(query)), cursor: this.cursor };
  }

  async run(id: string) {
    await this.note('run', id);
    const run = this.rows.find((row) => row.id === id);
    return run && { run, attempts: [], ofTarget: [run], previous: undefined, next: undefined };
  }

  async events(query: EventQuery) {
    await this.note('events', query);
    return { rows: this.told.filter(ofJobs(query)), cursor: this.cursor };
  }

  async missed(query: EventQuery) {
    await this.note('missed', query);
    return { rows: this.notBegun.filter(ofJobs(query)), cursor: this.cursor };
  }

  async fireTimes(query: unknown) {
    await this.note('fireTimes', query);
    return this.strip;
  }

  async doubles(query: RunQuery) {
    await this.note('doubles', query);
    const runs = this.rows.filter(ofJobs(query));
    return runs.length === 0
      ? []
      : [{ jobName: 'settle', shardingItem: 0, fireTime: TWO, origin: 'schedule' as const, runs }];
  }

  async pulses(query: { readonly jobNames: readonly string[] }) {
    await this.note('pulses', query);
    return this.beats.filter(({ jobName }) => query.jobNames.includes(jobName));
  }

  async statistics(query: unknown) {
    await this.note('statistics', query);
    return this.buckets;
  }

  /** Queries of one method, in their order. */
  queriesOf(method: string): readonly unknown[] {
    return this.asked.flatMap(([name, query]) => (name === method ? [query] : []));
  }

  private async note(method: string, query: unknown): Promise<void> {
    this.asked.push([method, query]);
    await this.until;
    if (this.fault !== undefined) throw this.fault;
  }
}

function ofJobs({ jobName, jobPrefix = '' }: { readonly jobName?: string; readonly jobPrefix?: string }) {
  return (row: { readonly jobName?: string | undefined }) =>
    jobName === undefined ? (row.jobName ?? '').startsWith(jobPrefix) : row.jobName === jobName;
}
