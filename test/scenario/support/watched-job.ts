import type { JobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../../libs/elastic-job/src/health/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestJobHandler,
  type TestRun,
} from '../../../libs/elastic-job/src/testing/index.js';
import type { JobStatus } from '../../../libs/elastic-job/src/runtime/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { operatorOf } from './registry-walk.js';

export const JOB = 'settle-orders';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

type Options = Partial<JobOptions> & { readonly handler?: TestJobHandler; readonly instances?: number };

/** A job in a cluster, an operator, and the events of the first instance. */
export class WatchedJob {
  private constructor(
    readonly cluster: TestCluster,
    readonly operator: RegistryCenter,
  ) {}

  /** @param others further jobs of the same processes */
  static async start(
    { handler = () => {}, instances = 1, ...options }: Options = {},
    others: Parameters<typeof createTestCluster>[0]['jobs'] = [],
  ): Promise<WatchedJob> {
    const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, handler, ...options };
    const cluster = await createTestCluster({ instances, jobs: [job, ...others] });
    return new WatchedJob(cluster, await operatorOf(cluster));
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  advance(ms: number): Promise<void> {
    return this.cluster.advance(ms);
  }

  /** Moves past the next fire time. @returns it */
  async untilFireTime(): Promise<number> {
    const fireTime = this.status.nextFireTime!;
    await this.advance(fireTime - this.cluster.clock.wallNow() + 100);
    return fireTime;
  }

  runsFor(fireTime: number, name = JOB): readonly TestRun[] {
    return this.cluster.runs(name).filter((run) => run.fireTime === fireTime);
  }

  told<Kind extends JobEvent['kind']>(kind: Kind): Extract<JobEvent, { kind: Kind }>[] {
    return this.cluster.events(0).filter((event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind);
  }

  /** The requests of the first instance so far that something has awaited. */
  get requests(): number {
    return this.cluster.instances[0]!.center.traffic.foreground;
  }

  /** The status of the job in the first instance. */
  get status(): JobStatus {
    return this.cluster.instances[0]!.runtime.status().jobs.find(({ jobName }) => jobName === JOB)!;
  }

  readiness(): ReturnType<typeof judgeReadiness> {
    return judgeReadiness(this.cluster.instances[0]!.runtime.status());
  }

  /** The id of the first instance. */
  get self(): string {
    return [...this.cluster.instances[0]!.instanceIds][0]!;
  }
}
