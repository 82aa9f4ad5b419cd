import { ElasticJob, ElasticJobModule } from '@app/elastic-job';
import { createTestCluster, type TestClusterOptions } from '@app/elastic-job/testing';
import { Injectable, Module } from '@nestjs/common';
import { describe, expect, it } from 'vitest';

const JOB = { name: 'settle-orders', cron: '0/20 * * * * ?', shardingTotalCount: 10, failover: true };

/** The promise is 100 ms, and `npm run bench:cluster` measures it on an idle machine. This machine may be busy. */
const LIMIT_MS = 1_000;

@Injectable()
class OrderJobs {
  @ElasticJob(JOB)
  settle(): void {}
}

@Module({ imports: [ElasticJobModule.forRoot({})], providers: [OrderJobs] })
class AppModule {}

describe.each<[string, TestClusterOptions]>([
  ['plain functions', { instances: 5, jobs: [{ ...JOB, handler: () => {} }] }],
  ['Nest applications', { instances: 5, module: AppModule }],
])('a crash among five instances of %s', (_, options) => {
  it('leaves no handle of the process open', async () => {
    await crashTest(options); // Loads everything that is loaded only once.
    const before = process.getActiveResourcesInfo();

    await crashTest(options);

    expect(await leftOpen(before)).toEqual([]);
  });

  it('takes little time after the first one', async () => {
    await crashTest(options);

    const times: number[] = [];
    for (let run = 0; run < 5; run += 1) times.push(await timed(() => crashTest(options)));

    expect(times.toSorted((a, b) => a - b)[2]).toBeLessThan(LIMIT_MS);
  });
});

async function crashTest(options: TestClusterOptions): Promise<void> {
  const cluster = await createTestCluster(options);
  await cluster.advance(19_000);
  cluster.crash(1);
  await cluster.advance(15_000);
  expect(new Set(cluster.assignment(JOB.name).values())).toEqual(new Set([0, 2, 3, 4]));
  await cluster.stop();
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/**
 * Resources that keep the process alive now and did not before. The test runner has timers of its own, which come and
 * go.
 */
async function leftOpen(before: readonly string[]): Promise<readonly string[]> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    const rest = [...before];
    const extra = process.getActiveResourcesInfo().filter((kind) => !take(rest, kind));
    if (extra.length === 0 || performance.now() > deadline) return extra;
  }
}

function take(kinds: string[], kind: string): boolean {
  const index = kinds.indexOf(kind);
  if (index >= 0) kinds.splice(index, 1);
  return index >= 0;
}
