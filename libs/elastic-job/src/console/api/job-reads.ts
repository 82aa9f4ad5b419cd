import type { Clock } from '../../clock/index.js';
import { ElasticJobError } from '../../domain/index.js';
import type { ExecutionQuery, ExecutionTrace, RunHistory } from '../../tracing/index.js';
import { type Configurations, fireTimesOf, type JobCommands } from '../changes/index.js';
import {
  ConsoleProblem,
  type ExecutionAnswer,
  type ExecutionsAnswer,
  type FailoverAnswer,
  type FireTimesAnswer,
  type ItemAnswer,
  type ItemsAnswer,
  type JobAnswer,
  type PageQuery,
  type RerunsAnswer,
  unknownJobProblem,
} from '../contract/index.js';
import type { JobDoor, JobView } from './doors.js';
import type { ExecutionsQuery, FireTimesQuery } from './rows.js';

interface JobReadParts {
  readonly clock: Clock;
  readonly commands: Pick<JobCommands, 'dump' | 'reruns'>;
  readonly configurations: Configurations;
  readonly history: { open(): Promise<RunHistory> };
  readonly index: JobDoor;
  readonly log: { error(text: string, error: unknown): void };
}

const PAGE = 50;
const FIRE_TIMES = 10;

/** Reads of one job. Each request looks at the job as long as it is answered; who looks again finds it open. */
export class JobReads {
  private isHistoryAway = false;

  constructor(private readonly parts: JobReadParts) {}

  /** @throws {UnknownJobError} */
  job(job: string): Promise<JobAnswer> {
    return this.view(job, (view) => view.job());
  }

  /** @throws {UnknownJobError} */
  items(job: string, query: PageQuery): Promise<ItemsAnswer> {
    return this.view(job, (view) => view.items(query));
  }

  /** @throws {UnknownJobError} @throws {ConsoleProblem} 404 */
  async item(job: string, item: number): Promise<ItemAnswer> {
    const answer = await this.view(job, (view) => view.item(item));
    if (answer !== undefined) return answer;
    throw new ConsoleProblem(404, 'UNKNOWN_ITEM', `Job ${job} has no item ${item}.`);
  }

  /** @throws {UnknownJobError} */
  failover(job: string): Promise<FailoverAnswer> {
    return this.view(job, (view) => view.failover());
  }

  /** @throws {UnknownJobError} */
  async reruns(job: string): Promise<RerunsAnswer> {
    const open = await this.parts.commands.reruns(job);
    const iso = (instant: number) => new Date(instant).toISOString();
    return {
      items: open.map(({ at, fireTimes, parameters = null, ...rerun }) => ({
        ...rerun,
        at: iso(at),
        fireTimes: fireTimes.map(iso),
        parameters,
      })),
    };
  }

  /** Secrets are hidden. It names other jobs. @throws {UnknownJobError} */
  dump(job: string): Promise<string> {
    return this.parts.commands.dump(job);
  }

  /** @throws {ConsoleProblem} 404 @throws {ConfigurationNodeError} */
  async fireTimes(job: string, { count = FIRE_TIMES, from }: FireTimesQuery): Promise<FireTimesAnswer> {
    const { clock, configurations } = this.parts;
    const stored = await configurations.getJobConfiguration(job);
    if (stored === undefined) throw unknownJobProblem(job);
    const after = from === undefined ? clock.wallNow() : Date.parse(from);
    return { timeZone: stored.timeZone ?? null, fireTimes: fireTimesOf(stored, after, count) };
  }

  /** @throws {MissingRunHistoryError} @throws {ConsoleProblem} 503 HISTORY_AWAY */
  async executions(job: string, query: ExecutionsQuery): Promise<ExecutionsAnswer> {
    const { cursor, rows } = await this.fromHistory((history) => history.executions(filterOf(job, query)));
    return { items: rows.map(executionOf), cursor: cursor ?? null };
  }

  private async view<Answer>(job: string, read: (view: JobView) => Promise<Answer>): Promise<Answer> {
    const view = this.parts.index.open(job);
    try {
      return await read(view);
    } finally {
      view.close();
    }
  }

  private async fromHistory<Answer>(read: (history: RunHistory) => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await read(await this.parts.history.open());
      this.isHistoryAway = false;
      return answer;
    } catch (error) {
      if (error instanceof ElasticJobError) throw error;
      // Once until it is back: anybody who may read would fill the log.
      if (!this.isHistoryAway) this.parts.log.error('The history of runs does not answer', error);
      this.isHistoryAway = true;
      throw new ConsoleProblem(503, 'HISTORY_AWAY', 'The history of runs does not answer.');
    }
  }
}

function filterOf(job: string, query: ExecutionsQuery): ExecutionQuery {
  const { cursor, from, item, limit = PAGE, outcome, source, to } = query;
  return {
    jobName: job,
    limit,
    ...(item !== undefined && { shardingItem: item }),
    ...(cursor !== undefined && { cursor }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: new Date(to) }),
    ...(source !== undefined && { source }),
    ...(outcome === 'succeeded' && { isSuccess: true }),
    ...(outcome === 'failed' && { isSuccess: false, isComplete: true }),
    ...(outcome === 'unfinished' && { isComplete: false }),
  };
}

function executionOf({ completeTime, startTime, ...run }: ExecutionTrace): ExecutionAnswer {
  return {
    id: run.id,
    job: run.jobName,
    item: run.shardingItem,
    task: run.taskId,
    hostname: run.hostname,
    ip: run.ip,
    source: run.source,
    startedAt: startTime.toISOString(),
    completedAt: completeTime?.toISOString() ?? null,
    succeeded: run.isSuccess,
    error: run.failureCause ?? null,
  };
}
