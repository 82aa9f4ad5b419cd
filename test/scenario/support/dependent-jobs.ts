import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestJobHandler,
  type TestJobOptions,
  type TestRun,
} from '../../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './registry-walk.js';
import { range } from './run-checks.js';

export const MINUTE = 60_000;
/** The items of the child. */
export const CHILDREN = range(3);

const done: TestJobHandler = (_context, { clock }) => clock.sleep(100);

/** A job of four items, which runs each minute. */
export function parent(options: Partial<TestJobOptions> = {}): TestJobOptions {
  return { name: 'import', cron: '0 * * * * ?', shardingTotalCount: 4, failover: true, handler: done, ...options };
}

/** A job that is started after the parent. */
export function child(options: Partial<TestJobOptions> = {}): TestJobOptions {
  return { name: 'report', after: 'import', shardingTotalCount: 3, failover: true, handler: done, ...options };
}

/** A cluster whose jobs are started after each other, and an operator. */
export class DependentJobs {
  private constructor(
    readonly cluster: TestCluster,
    readonly operator: RegistryCenter,
  ) {}

  static async start(jobs: readonly TestJobOptions[], instances = 2): Promise<DependentJobs> {
    const cluster = await createTestCluster({ instances, jobs });
    return new DependentJobs(cluster, await operatorOf(cluster));
  }

  async stop(): Promise<void> {
    await this.operator.close();
    await this.cluster.stop();
  }

  advance(ms: number): Promise<void> {
    return this.cluster.advance(ms);
  }

  untilNextMinute(more: number): Promise<void> {
    return this.advance(MINUTE - (this.cluster.clock.wallNow() % MINUTE) + more);
  }

  runs(jobName: string): readonly TestRun[] {
    return this.cluster.runs(jobName);
  }
}
