import { type Clock, Deadline } from '../../clock/index.js';
import type { ExecutionQuery, ExecutionTrace } from '../../tracing/index.js';
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
  type JobHistoryAnswer,
  type JobHistoryQuery,
  type PageQuery,
  type RerunPreviewAnswer,
  type RerunsAnswer,
  type StatisticsAnswer,
  type StatisticsQuery,
  unknownJobProblem,
  type WhyAnswer,
} from '../contract/index.js';
import { type HistoryGate, HistoryReads } from '../history/index.js';
import type { JobDoor, JobView } from './doors.js';
import type { ExecutionsQuery, FireTimesQuery } from './rows.js';

interface JobReadParts {
  readonly clock: Clock;
  readonly commands: Pick<JobCommands, 'dump' | 'reruns'>;
  readonly configurations: Configurations;
  readonly gate: HistoryGate;
  readonly index: JobDoor;
}

const PAGE = 50;
const FIRE_TIMES = 10;
/** Longest wait of an item for the history. */
const WHY_MS = 300;
/** Longest wait of a preview for the history. */
const OUTCOMES_MS = 1_000;
/** An item that is looked at is read at each of its changes. */
const WHY_REUSE_MS = 2_000;

/** Reads of one job. Each request looks at the job as long as it is answered; who looks again finds it open. */
export class JobReads {
  private readonly history: HistoryReads;

  constructor(private readonly parts: JobReadParts) {
    this.history = new HistoryReads(parts);
  }

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
    const answer = await this.found(job, item);
    const why = this.why(job, answer, WHY_REUSE_MS).then(({ moves }) => moves);
    const unknown = () => null;
    return { ...answer, why: await Deadline.after(this.parts.clock, WHY_MS).bounds(why.catch(unknown), unknown) };
  }

  /**
   * Why an item is where it is.
   * @throws {UnknownJobError} @throws {MissingRunHistoryError} @throws {ConsoleProblem} 404, 503
   */
  async itemWhy(job: string, item: number): Promise<WhyAnswer> {
    return this.why(job, await this.found(job, item));
  }

  /** The fate of each item at each fire time. @throws as `itemWhy` */
  async jobHistory(job: string, query: JobHistoryQuery): Promise<JobHistoryAnswer> {
    const schedule = await this.view(job, (view) => view.schedule());
    return this.history.fireTimes(job, schedule, query);
  }

  /** @throws as `itemWhy` */
  async statistics(job: string, query: StatisticsQuery): Promise<StatisticsAnswer> {
    await this.view(job, (view) => view.schedule());
    return this.history.statistics(job, query);
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

  /** With the outcomes so far, if the history has them soon enough. @throws {UnknownJobError} */
  async outcomes(job: string, preview: RerunPreviewAnswer): Promise<RerunPreviewAnswer> {
    const schedule = await this.view(job, (view) => view.schedule());
    const asItIs = () => preview;
    const told = this.history.outcomes(job, schedule, preview).catch(asItIs);
    return Deadline.after(this.parts.clock, OUTCOMES_MS).bounds(told, asItIs);
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
    const { cursor, rows } = await this.parts.gate.askRuns((history) => history.executions(filterOf(job, query)));
    return { items: rows.map(executionOf), cursor: cursor ?? null };
  }

  private why(job: string, { holder, item, owner }: ItemAnswer, reuseMs?: number): Promise<WhyAnswer> {
    return this.history.why({ job, item, owner, holder }, reuseMs);
  }

  private async found(job: string, item: number): Promise<ItemAnswer> {
    const answer = await this.view(job, (view) => view.item(item));
    if (answer !== undefined) return answer;
    throw new ConsoleProblem(404, 'UNKNOWN_ITEM', `Job ${job} has no item ${item}.`);
  }

  private async view<Answer>(job: string, read: (view: JobView) => Promise<Answer>): Promise<Answer> {
    const view = this.parts.index.open(job);
    try {
      return await read(view);
    } finally {
      view.close();
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
