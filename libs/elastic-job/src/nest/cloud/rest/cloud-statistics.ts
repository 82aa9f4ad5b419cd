import { BadRequestException } from '@nestjs/common';
import { CLOUD_PATHS, type CloudConfigurations } from '../../../cloud/index.js';
import type { Clock } from '../../../clock/index.js';
import { show } from '../../../domain/index.js';
import type { RegistryCenter } from '../../../registry/index.js';
import type { ApplicationRunHistory, ExecutionCount, RunHistory } from '../../../tracing/index.js';
import { usableOf } from './cloud-registrations.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Distance between samples of running items, over a week. */
const SAMPLE_MS = 6 * HOUR_MS;

/** A row of statistics. Instants are ISO 8601; `id` counts the rows of one answer. */
interface CloudStatisticsRow {
  readonly id: number;
  /** The end of the interval. */
  readonly statisticsTime: Date;
  readonly creationTime: Date;
}

/** @see ElasticJob-Cloud 3.0.2, `TaskResultStatistics` */
export interface CloudResultAnswer extends CloudStatisticsRow {
  readonly successCount: number;
  readonly failedCount: number;
  readonly statisticInterval: 'MINUTE' | 'HOUR' | 'DAY';
}

/** @see ElasticJob-Cloud 3.0.2, `TaskRunningStatistics` and `JobRunningStatistics` */
export interface CloudRunningAnswer extends CloudStatisticsRow {
  readonly runningCount: number;
}

/** @see ElasticJob-Cloud 3.0.2, `JobRegisterStatistics` */
export interface CloudRegisterAnswer extends CloudStatisticsRow {
  readonly registeredCount: number;
}

/** @see ElasticJob-Cloud 3.0.2, `JobExecutionTypeStatistics` */
export interface CloudExecutionTypeAnswer {
  readonly transientJobCount: number;
  readonly daemonJobCount: number;
}

const PERIODS: Readonly<Record<string, Pick<CloudResultAnswer, 'statisticInterval'> & { readonly ms: number }>> = {
  online: { ms: Infinity, statisticInterval: 'DAY' },
  lastWeek: { ms: 7 * DAY_MS, statisticInterval: 'DAY' },
  lastHour: { ms: HOUR_MS, statisticInterval: 'HOUR' },
  lastMinute: { ms: MINUTE_MS, statisticInterval: 'MINUTE' },
};

/**
 * Statistics as ElasticJob-Cloud's REST interface answers them. Java's leader counts in tables of its own; here runs
 * are counted in the history, and jobs in the registry.
 * @see ElasticJob-Cloud 3.0.2, `StatisticManager`
 */
export class CloudStatistics {
  constructor(
    private readonly configurations: CloudConfigurations,
    private readonly cloudRegistry: RegistryCenter,
    private readonly history: ApplicationRunHistory,
    private readonly clock: Clock,
  ) {}

  /** Ended runs, for each of the last 24 hours. @throws {MissingRunHistoryError} */
  async resultsByHour(since: unknown): Promise<readonly CloudResultAnswer[]> {
    assertSince(since, 'last24hours');
    const history = await this.history.open();
    const end = this.clock.wallNow();
    const answers: CloudResultAnswer[] = [];
    for (let id = 1; id <= 24; id += 1) {
      const to = end - (24 - id) * HOUR_MS;
      answers.push(await results(history, { id, from: to - HOUR_MS, to, statisticInterval: 'HOUR' }));
    }
    return answers;
  }

  /** Ended runs of one period. `online`: all that the history has. @throws {MissingRunHistoryError} */
  async resultsOf(period: string): Promise<CloudResultAnswer> {
    const found = Object.hasOwn(PERIODS, period) ? PERIODS[period] : undefined;
    if (found === undefined) {
      throw new BadRequestException(`The period must be ${Object.keys(PERIODS).join(', ')}, but is ${show(period)}.`);
    }
    const { ms, statisticInterval } = found;
    const to = this.clock.wallNow();
    return results(await this.history.open(), { id: 1, from: Math.max(0, to - ms), to, statisticInterval });
  }

  /** Running items, every 6 h of the last week; a run longer than a day counts for one day. */
  async runningTasks(since: unknown): Promise<readonly CloudRunningAnswer[]> {
    return this.samples(since, ({ executions }) => executions);
  }

  /** Running jobs. @see runningTasks */
  async runningJobs(since: unknown): Promise<readonly CloudRunningAnswer[]> {
    return this.samples(since, ({ jobs }) => jobs);
  }

  /** Registered jobs by type. */
  async executionTypes(): Promise<CloudExecutionTypeAnswer> {
    const jobs = usableOf(await this.configurations.jobs.readAll());
    const daemonJobCount = jobs.filter(({ jobExecutionType }) => jobExecutionType === 'DAEMON').length;
    return { transientJobCount: jobs.length - daemonJobCount, daemonJobCount };
  }

  /** For each day with registrations: how many of today's jobs were registered by its end. */
  async registered(): Promise<readonly CloudRegisterAnswer[]> {
    const stored = await this.configurations.jobs.readAll();
    const nodes = await this.cloudRegistry.readMany(stored.map(({ name }) => CLOUD_PATHS.job(name)));
    const days = nodes
      .flatMap((node) => (node === undefined ? [] : [Math.floor(node.stat.ctime / DAY_MS) * DAY_MS]))
      .toSorted((a, b) => a - b);
    return [...new Set(days)].map((day, index) => {
      const statisticsTime = new Date(day);
      const registeredCount = days.filter((other) => other <= day).length;
      return { id: index + 1, registeredCount, statisticsTime, creationTime: statisticsTime };
    });
  }

  private async samples(
    since: unknown,
    countOf: (count: ExecutionCount) => number,
  ): Promise<readonly CloudRunningAnswer[]> {
    assertSince(since, 'lastWeek');
    const history = await this.history.open();
    const end = this.clock.wallNow();
    const answers: CloudRunningAnswer[] = [];
    for (let ago = 7 * DAY_MS; ago >= 0; ago -= SAMPLE_MS) {
      const runningAt = new Date(end - ago);
      // If the scheduler has died, the end of its run may never have been written.
      const count = await history.countExecutions({ runningAt, from: new Date(end - ago - DAY_MS) });
      const id = answers.length + 1;
      answers.push({ id, runningCount: countOf(count), statisticsTime: runningAt, creationTime: runningAt });
    }
    return answers;
  }
}

async function results(
  history: RunHistory,
  {
    from,
    id,
    statisticInterval,
    to,
  }: { id: number; from: number; to: number } & Pick<CloudResultAnswer, 'statisticInterval'>,
): Promise<CloudResultAnswer> {
  const filter = { from: new Date(from), to: new Date(to), isComplete: true };
  const { executions: successCount } = await history.countExecutions({ ...filter, isSuccess: true });
  const { executions: failedCount } = await history.countExecutions({ ...filter, isSuccess: false });
  return { id, successCount, failedCount, statisticInterval, statisticsTime: filter.to, creationTime: filter.to };
}

/** @throws {BadRequestException} for a stretch of time that is not offered */
function assertSince(since: unknown, known: string): void {
  if (since === undefined || since === '' || since === known) return;
  throw new BadRequestException(`since must be ${known}, but is ${show(since)}.`);
}
