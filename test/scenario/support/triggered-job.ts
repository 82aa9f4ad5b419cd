import type { JobOptions, ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestJobHandler,
  type TestRun,
} from '../../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { ask } from './operators.js';
import { operatorOf } from './registry-walk.js';

export const JOB = 'settle-orders';
export const MINUTE = 60_000;

type Options = Partial<Omit<JobOptions, 'name'>> & {
  readonly instances: number;
  readonly handler?: TestJobHandler;
};

/** A job of four items in a cluster, an operator who triggers it, and the contexts of its handlers. */
export class TriggeredJob {
  private constructor(
    readonly cluster: TestCluster,
    readonly operator: RegistryCenter,
    /** The contexts of handlers, in the order in which their runs began. */
    readonly contexts: readonly ShardingContext[],
  ) {}

  /** Without cron it is a one-off job. */
  static async start({ instances, handler = () => {}, ...options }: Options): Promise<TriggeredJob> {
    const contexts: ShardingContext[] = [];
    const job = {
      name: JOB,
      shardingTotalCount: 4,
      ...options,
      handler: (...[context, process]: Parameters<TestJobHandler>) => {
        contexts.push(context);
        return handler(context, process);
      },
    };
    const cluster = await createTestCluster({ instances, latencyMs: 10, drainTimeoutMs: 5_000, jobs: [job] });
    return new TriggeredJob(cluster, await operatorOf(cluster), contexts);
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  advance(ms: number): Promise<void> {
    return this.cluster.advance(ms);
  }

  /** Moves to `offset` milliseconds from the next full minute. */
  untilNextMinute(offset: number): Promise<void> {
    return this.advance(MINUTE - (this.cluster.clock.wallNow() % MINUTE) + offset);
  }

  ask(request: Parameters<typeof ask>[3], instances?: readonly number[]): Promise<void> {
    return ask(this.cluster, this.operator, JOB, request, instances);
  }

  async reshard(): Promise<void> {
    await this.operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
    await this.advance(1_000);
  }

  runs(): readonly TestRun[] {
    return this.cluster.runs(JOB);
  }

  events(instance: number): readonly JobEvent[] {
    return this.cluster.events(instance);
  }

  /** The origins of the runs so far, in the order in which they began. */
  origins(item?: number): string[] {
    return this.contexts.filter(({ shardingItem }) => item === undefined || shardingItem === item).map(originOf);
  }

  /** The origin and the source of each run of an item. */
  runsOf(item: number): string[] {
    return this.contexts
      .filter(({ shardingItem }) => shardingItem === item)
      .map((context) => `${originOf(context)} ${context.source}`);
  }

  /** The items that have run for a request. */
  runsOfRequest(id: string): number[] {
    return this.contexts
      .filter((context) => originOf(context) === id)
      .map(({ shardingItem }) => shardingItem)
      .toSorted((a, b) => a - b);
  }

  /** The reasons for which the first instance has skipped triggers. */
  skipped(): string[] {
    return this.events(0).flatMap((event) => (event.kind === 'skipped' ? [event.reason] : []));
  }
}

function originOf({ trigger }: ShardingContext): string {
  return trigger === 'schedule' ? trigger : trigger.id;
}
