import { afterEach, beforeEach, expect, it } from 'vitest';
import { resolveJobOptions } from '../domain/index.js';
import { MemoryRegistry, type MemoryRegistryCenter, RegistryUnavailableError } from '../registry/index.js';
import { VirtualClock } from '../testing/index.js';
import { ElasticJobRuntime } from './elastic-job-runtime.js';
import type { JobDefinition } from './job-definition.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;
const NORMAL = ['0 NORMAL_TRIGGER', '1 NORMAL_TRIGGER'];
const CONFIGURATION = resolveJobOptions(
  { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, failover: true },
  { place: 'spec' },
);

let clock: VirtualClock;
let registry: MemoryRegistry;
let center: MemoryRegistryCenter;
let runtime: ElasticJobRuntime;
let operator: MemoryRegistryCenter;
let runs: string[];
/** The item whose handler does not end. */
let hangingItem: number | undefined;
const definition: JobDefinition = {
  configuration: CONFIGURATION,
  className: JOB,
  place: 'spec',
  handler: ({ shardingItem, source }) => {
    runs.push(`${shardingItem} ${source}`);
    return shardingItem === hangingItem && new Promise(() => {});
  },
};
beforeEach(async () => {
  clock = new VirtualClock();
  runs = [];
  hangingItem = undefined;
  const options = { namespace: 'test', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 };
  registry = new MemoryRegistry(clock);
  center = registry.center(options);
  operator = registry.center(options);
  await operator.connect();
  runtime = new ElasticJobRuntime({ registry: center, clock });
  await runtime.registrar.register(definition);
  await clock.advanceUntil(runtime.start());
});
afterEach(() => clock.advanceUntil(runtime.stop()));

it('given a begin that the registry did not answer in time, when it answers the next request, then the fire time is made up for', async () => {
  await clock.advance(MINUTE);
  failNextTransaction();

  await clock.advance(MINUTE);

  expect(runs).toEqual([...NORMAL, '0 MISFIRE', '1 MISFIRE']);
});

it('given the leader was not answered in time, when the registry answers again, then it does its duty without a further event', async () => {
  const errors: unknown[] = [];
  runtime.events.on((event) => event.kind === 'error' && errors.push(event));
  failNextTransaction(); // The one that would delete the flag.

  await operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
  await clock.advance(1_000);

  expect(await operator.exists(`/${JOB}/leader/sharding/necessary`)).toBeUndefined();
  expect(errors).toEqual([]);
});

it('given a claim that was not answered in time, when the registry answers again, then the item is claimed', async () => {
  await clock.advance(MINUTE);
  failNextTransaction(); // The claim.

  await queueUnfinished(0);
  await clock.advance(1_000);

  expect(runs).toEqual([...NORMAL, '0 FAILOVER']);
});

it('given a registration that was not answered in time, when the registry answers again, then the job joins all the same', async () => {
  await clock.advanceUntil(runtime.registrar.remove(JOB));
  const adding = runtime.registrar.register(definition);
  failNextTransaction(); // Nothing is left to install, so it is the registration.

  await clock.advanceUntil(adding);

  expect(runtime.status().jobs).toMatchObject([{ isJoined: true }]);
});

it('given an instance that is leaving, when a user asks it to claim, then it claims nothing', async () => {
  hangingItem = 1;
  await clock.advance(MINUTE);
  await queueUnfinished(0); // A busy instance leaves it to idle ones for a moment.

  const stopping = runtime.stop();
  const claimed = await runtime.failover.claim(JOB);

  expect(claimed.size).toBe(0);
  await clock.advanceUntil(stopping);
  expect(runs).toEqual(NORMAL);
});

it('given a job without marks, when two of its fire times wait for the same answer, then an item runs once at a time', async () => {
  await clock.advanceUntil(runtime.registrar.remove(JOB));
  const local = { name: JOB, cron: '* * * * * ?', shardingTotalCount: 2, monitorExecution: false };
  const configuration = resolveJobOptions({ ...local, overwrite: true }, { place: 'spec' });
  await clock.advanceUntil(runtime.registrar.register({ ...definition, configuration }));
  hangingItem = 1;

  registry.cut(center.session.id!, 'replies');
  await clock.advance(2_500);
  registry.uncut(center.session.id!, 'replies');
  await clock.advance(100);

  expect(runs.filter((run) => run === '1 NORMAL_TRIGGER')).toHaveLength(1);
  expect(await operator.exists(`/${JOB}/sharding/1/misfire`)).toBeUndefined();
});

/** Makes a run that has ended look as if its holder had died. */
async function queueUnfinished(item: number): Promise<void> {
  const path = `/${JOB}/sharding/${item}/record`;
  const { data } = (await operator.read(path))!;
  await operator.set(path, data.replace(/,"settled":\{.*?\}/, ''));
  await operator.create(`/${JOB}/leader/failover/items/${item}`, '', 'PERSISTENT');
}

/** The connection stays, but one request gets no answer; it has not arrived either. */
function failNextTransaction(): void {
  const transaction = center.transaction.bind(center);
  center.transaction = (operations) => {
    center.transaction = transaction;
    const name = `transaction of ${operations.length}`;
    return Promise.reject(new RegistryUnavailableError(name, 'not-applied', 'no answer within 5000 ms'));
  };
}
