import { CLOCK, type Clock, ElasticJob, ElasticJobModule } from '../libs/elastic-job/src/index.js';
import { createTestCluster, type TestClusterOptions } from '../libs/elastic-job/src/testing/index.js';
import { Inject, Injectable, Module } from '@nestjs/common';

/**
 * Measures a test of five instances, one of which crashes, in milliseconds: start, a run that the crash interrupts, the
 * failover, stop. Also measures this process's own computing time, which a busy machine does not change. The promise is
 * less than 100.
 *
 * npm run bench:cluster
 */
const RUNS = 30;
const JOB = { name: 'settle-orders', cron: '0/20 * * * * ?', shardingTotalCount: 10, failover: true };

const settleOrder = (clock: Clock) => clock.sleep(2_000);

@Injectable()
class OrderJobs {
  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  @ElasticJob(JOB)
  settle(): Promise<void> {
    return settleOrder(this.clock);
  }
}

@Module({ imports: [ElasticJobModule.forRoot({})], providers: [OrderJobs] })
class AppModule {}

/** Milliseconds. */
interface Cost {
  readonly elapsed: number;
  readonly computed: number;
}

async function crashTest(options: TestClusterOptions): Promise<Cost> {
  const begun = performance.now();
  const cpuBegun = process.cpuUsage();
  const cluster = await createTestCluster(options);
  await cluster.advance(19_500);
  cluster.crash(1);
  await cluster.advance(15_000);
  const rescued = cluster.runs(JOB.name).filter(({ source, endedAt }) => source === 'FAILOVER' && endedAt);
  if (rescued.length !== 2) throw new Error(`${rescued.length} items of the dead instance were run again.`);
  await cluster.stop();
  const { user, system } = process.cpuUsage(cpuBegun);
  return { elapsed: performance.now() - begun, computed: (user + system) / 1_000 };
}

async function measure(name: string, options: TestClusterOptions): Promise<void> {
  const first = await crashTest(options);
  const costs: Cost[] = [];
  for (let run = 0; run < RUNS; run += 1) costs.push(await crashTest(options));
  const at = (share: number, cost: keyof Cost) => {
    const sorted = costs.map((each) => each[cost]).toSorted((a, b) => a - b);
    return `${Math.round(sorted[Math.floor(share * (RUNS - 1))]!)} ms`;
  };
  console.log(
    `${name}: median ${at(0.5, 'elapsed')}, p90 ${at(0.9, 'elapsed')}, computed ${at(0.5, 'computed')}; ` +
      `the first one ${Math.round(first.elapsed)} ms`,
  );
}

await measure('plain functions', { instances: 5, jobs: [{ ...JOB, handler: (_, { clock }) => settleOrder(clock) }] });
await measure('Nest applications', { instances: 5, module: AppModule });
