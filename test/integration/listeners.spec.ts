import { afterEach, beforeEach, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import {
  DistributeOnceElasticJobListener,
  type JobConfiguration,
  type JobOptions,
  planSharding,
  resolveJobOptions,
} from '../../libs/elastic-job/src/domain/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { fireTimes } from '@test/support/fire-times.js';
import { LIMITS } from '@test/support/limits.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const JOB = 'settle-orders';
const INSTANCES = 4;
const ROUNDS = 5;

const clock = new SystemClock();
const nextFireTime = fireTimes(clock);

let namespace: string;
let registries: RegistryCenter[];
let runtimes: ElasticJobRuntime[];
let log: string[];
/** Called when something has happened in one of the processes. */
let changed: () => void;
beforeEach(() => {
  changed = () => {};
  namespace = `listeners-${clock.uuid()}`;
  [registries, runtimes, log] = [[], [], []];
});
afterEach(() => Promise.all(runtimes.map((runtime) => runtime.stop())));

it('begins and ends each round of a distribute-once listener once, over a real ZooKeeper', LIMITS, async () => {
  await start({ shardingTotalCount: 9 });
  const errors = listenForErrors();

  for (let round = 0; round < ROUNDS; round++) await fire();

  const round = ['started', ...Array<string>(9).fill('run'), 'completed'];
  expect(log).toEqual(Array.from({ length: ROUNDS }, () => round).flat());
  expect(errors).toEqual([]);
  const left = await registries[0]!.children(`/${JOB}/guarantee`);
  expect(left.filter((name) => !name.endsWith('-latch'))).toEqual([]);
});

it('runs each fire time once with SINGLE_SHARDING_BALANCE, over a real ZooKeeper', LIMITS, async () => {
  await start({ shardingTotalCount: 1, strategy: 'SINGLE_SHARDING_BALANCE' });

  for (let round = 0; round < ROUNDS; round++) await fire();

  expect(log.filter((entry) => entry === 'run')).toHaveLength(ROUNDS);
  expect((await registries[0]!.read(`/${JOB}/next-job-instance-ip`))?.data).toBe(clock.hostAddress());
});

class Once extends DistributeOnceElasticJobListener {
  constructor() {
    super(10_000, 10_000);
  }

  doBeforeJobExecutedAtLastStarted(): void {
    log.push('started');
  }

  doAfterJobExecutedAtLastCompleted(): void {
    log.push('completed');
  }
}

/** Instances that share the job; fire times are given by hand. */
async function start(job: Partial<JobOptions>): Promise<void> {
  const options = { name: JOB, cron: '0 0 0 1 1 ? 2199', shardingTotalCount: 1, ...job };
  const configuration = resolveJobOptions(options, { place: 'listeners.spec' });
  for (let index = 0; index < INSTANCES; index++) {
    const registry = new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace }, clock);
    const runtime = new ElasticJobRuntime({ registry, clock });
    registries.push(registry);
    runtimes.push(runtime);
    const handler = () => void log.push('run');
    const listeners = [new Once()];
    runtime.events.on(() => changed());
    await runtime.registrar.register({ configuration, className: JOB, place: 'listeners.spec', handler, listeners });
  }
  await Promise.all(runtimes.map((runtime) => runtime.start()));
  await untilShared(configuration);
}

/** Each item has the owner that the strategy gives it among all instances, so it moves no more. */
async function untilShared({ strategy, shardingTotalCount }: JobConfiguration): Promise<void> {
  const { instances, sharding } = runtimes[0]!;
  for (;;) {
    const change = new Promise<void>((resolve) => (changed = resolve));
    const [all, owners] = [await instances.instances(JOB), await sharding.assignments(JOB)];
    const plan = planSharding(strategy, all, JOB, shardingTotalCount);
    if (all.length === INSTANCES && [...plan].every(([item, id]) => owners.get(item) === id)) return;
    await change;
  }
}

async function fire(): Promise<void> {
  const fireTime = nextFireTime();
  await Promise.all(runtimes.map(({ registrar }) => registrar.of(JOB).currentSession!.tick(fireTime)));
}

function listenForErrors(): unknown[] {
  const errors: unknown[] = [];
  for (const { events } of runtimes) events.on((event) => void (event.kind === 'error' && errors.push(event.error)));
  return errors;
}
