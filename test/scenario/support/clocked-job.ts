import {
  createTestCluster,
  type TestCluster,
  type TestClusterSettings,
  type TestJobHandler,
  type TestRun,
} from '../../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';

export const JOB = 'settle-orders';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

type Options = Partial<TestClusterSettings> & {
  clockToleranceMs?: number;
  shardingTotalCount?: number;
  misfirePolicy?: 'once' | 'all' | 'skip';
  /** @default every minute */
  cron?: string;
  handler?: TestJobHandler;
};

/** A job in a cluster whose clocks can be set, both those of the instances and that of the registry. */
export class ClockedJob {
  private readonly start: number;

  private constructor(readonly cluster: TestCluster) {
    this.start = Math.floor(cluster.clock.wallNow() / MINUTE) * MINUTE;
  }

  static async start({
    clockToleranceMs,
    cron = '0 * * * * ?',
    handler = () => {},
    misfirePolicy,
    shardingTotalCount = 2,
    ...settings
  }: Options = {}): Promise<ClockedJob> {
    const job = { name: JOB, cron, shardingTotalCount, misfirePolicy, handler };
    const options = { instances: 1, latencyMs: 10, clockToleranceMs, ...settings, jobs: [job] };
    return new ClockedJob(await createTestCluster(options));
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  /** Starts an instance whose tolerance is the usual one. */
  async startAnother(): Promise<void> {
    Object.assign(Reflect.get(this.cluster, 'options'), { clockToleranceMs: undefined });
    await this.cluster.join();
  }

  advance(ms: number): Promise<void> {
    return this.cluster.advance(ms);
  }

  /** Moves past `count` full minutes of the registry's clock. */
  passMinutes(count: number): Promise<void> {
    return this.advance(count * MINUTE - (this.cluster.clock.wallNow() % MINUTE) + 10 * SECOND);
  }

  /** Sets the clock of an instance to an offset from the registry's. */
  stepClock(index: number, aheadMs: number): void {
    this.cluster.setWall(index, this.cluster.clock.wallNow() + aheadMs);
  }

  /** Sets the registry's clock by an offset. */
  stepRegistry(ms: number): void {
    this.cluster.clock.setWall(this.cluster.clock.wallNow() + ms);
  }

  runs(): readonly TestRun[] {
    return this.cluster.runs(JOB);
  }

  /** For each run of item 0, the distance of its fire time from the full minute that it belongs to, in milliseconds. */
  gaps(): readonly number[] {
    return this.runs()
      .filter(({ item }) => item === 0)
      .map(({ fireTime }, index) => fireTime - this.start - (index + 1) * MINUTE);
  }

  eventsOf<K extends JobEvent['kind']>(index: number, kind: K): Extract<JobEvent, { kind: K }>[] {
    return this.cluster.events(index).filter((event): event is Extract<JobEvent, { kind: K }> => event.kind === kind);
  }
}
