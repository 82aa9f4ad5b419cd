import type { ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestJobHandler,
  type TestRun,
} from '../../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';

export const JOB = 'settle-orders';
const HOURLY = '0 0 * * * ?';
const HOUR = 3_600_000;

interface Options {
  readonly instances: number;
  readonly handler?: TestJobHandler;
  readonly drainTimeoutMs?: number;
  readonly latencyMs?: number;
  readonly total?: number;
  /** @default every hour */
  readonly cron?: string;
  readonly failover?: boolean;
  readonly timeoutMs?: number;
}

/** A cluster of one job of three items, whose instances leave. */
export class HourlyJob {
  private constructor(readonly cluster: TestCluster) {}

  static async start({ handler = () => {}, total = 3, cron = HOURLY, ...options }: Options): Promise<HourlyJob> {
    const { failover = true, timeoutMs, ...settings } = options;
    const job = { name: JOB, cron, shardingTotalCount: total, failover, timeoutMs, handler };
    return new HourlyJob(await createTestCluster({ ...settings, jobs: [job] }));
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  advance(ms: number): Promise<void> {
    return this.cluster.advance(ms);
  }

  /** Moves to `offset` milliseconds from the next full hour. */
  untilNextHour(offset = 0): Promise<void> {
    return this.advance(HOUR - (this.cluster.clock.wallNow() % HOUR) + offset);
  }

  runs(): readonly TestRun[] {
    return this.cluster.runs(JOB);
  }

  runsOf(instance: number): readonly TestRun[] {
    return this.runs().filter((run) => run.instance === instance);
  }

  rescues(): readonly TestRun[] {
    return this.runs().filter(({ source }) => source === 'FAILOVER');
  }

  /** States of leadership by index: true if the instance leads. */
  leading(): boolean[] {
    return this.cluster.instances.map(({ runtime }) => runtime.leader.isLeader(JOB));
  }

  events(instance: number): readonly JobEvent[] {
    return this.cluster.events(instance);
  }

  /** The outcomes of an instance's runs. */
  outcomes(instance: number): string[] {
    return this.events(instance).flatMap((event) => (event.kind === 'settled' ? [event.outcome.kind] : []));
  }
}

/** Runs until it is aborted; the failover of such a run ends at once. */
export async function untilAborted({ signal, source }: ShardingContext): Promise<void> {
  if (source !== 'FAILOVER') await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

/** Ignores its signal; the failover of such a run ends at once. */
export async function hang({ source }: ShardingContext): Promise<void> {
  if (source !== 'FAILOVER') await new Promise(() => {});
}
