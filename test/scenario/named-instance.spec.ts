import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ShardingContext, resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { MemoryRegistry, type MemoryRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { VirtualClock } from '../../libs/elastic-job/src/testing/index.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let clock: VirtualClock;
let registry: MemoryRegistry;
let runs: string[];
let runtimes: ElasticJobRuntime[];
beforeEach(() => {
  clock = new VirtualClock();
  registry = new MemoryRegistry(clock);
  runs = [];
  runtimes = [];
});
afterEach(() => clock.advanceUntil(Promise.all(runtimes.map((runtime) => runtime.stop()))));

describe('an instance with a configured id', () => {
  it('finishes what it owed when it is started again after it died in mid-run', async () => {
    const first = launch({ handler: () => new Promise(() => {}) });
    await clock.advanceUntil(first.runtime.start());
    await clock.advance(MINUTE);
    expect(runs).toEqual(['0 NORMAL_TRIGGER', '1 NORMAL_TRIGGER']);
    registry.cutOff(first.center.session.id!);

    await clock.advanceUntil(launch({ handler: () => {} }).runtime.start());
    await clock.advance(10_000);

    expect(runs.slice(2).toSorted()).toEqual(['0 FAILOVER', '1 FAILOVER']);
  });

  it('keeps its id after a lost session, and settles the items that ended meanwhile', async () => {
    const { runtime, center } = launch({ handler: ({ signal }) => clock.sleep(30_000, signal).catch(() => {}) });
    await clock.advanceUntil(runtime.start());
    await clock.advance(MINUTE);

    registry.expire(center.session.id!);
    await clock.advance(45_000);

    expect((await runtime.instances.instances(JOB)).map(({ jobInstanceId }) => jobInstanceId)).toEqual([
      '10.0.0.1@-@worker-0',
    ]);
    expect(runs.slice(2).toSorted()).toEqual(['0 FAILOVER', '1 FAILOVER']);
    expect(await runtime.executions.running(JOB)).toEqual([]);
  });

  it('goes on in one job although its id is taken in the other one when it comes back', async () => {
    const { runtime, center } = launch({ handler: () => {} });
    await runtime.registrar.add({ name: 'send-letters', cron: '0 * * * * ?', shardingTotalCount: 1 }, () => {});
    await clock.advanceUntil(runtime.start());
    const thief = connect();
    await thief.connect();

    registry.expire(center.session.id!);
    await thief.create(`/${JOB}/instances/10.0.0.1@-@worker-0`, '', 'EPHEMERAL');
    await clock.advance(5_000);

    const joined = runtime.status().jobs.map(({ jobName, isJoined }) => [jobName, isJoined]);
    expect(joined).toEqual([
      [JOB, false],
      ['send-letters', true],
    ]);
  });
});

function launch({ handler }: { handler: (context: ShardingContext) => unknown }) {
  const center = connect();
  const runtime = new ElasticJobRuntime({ registry: center, clock, instanceId: 'worker-0', drainTimeoutMs: 1_000 });
  runtimes.push(runtime);
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, failover: true };
  void runtime.registrar.register({
    configuration: resolveJobOptions(job, { place: 'spec' }),
    className: JOB,
    place: 'spec',
    handler: (context) => {
      runs.push(`${context.shardingItem} ${context.source}`);
      return handler(context);
    },
  });
  return { runtime, center };
}

function connect(): MemoryRegistryCenter {
  return registry.center({ namespace: 'test', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 });
}
