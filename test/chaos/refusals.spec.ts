import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JobOptions, resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { fireTimes } from '@test/support/fire-times.js';
import {
  ALL_PERMISSIONS,
  connectRawClient,
  type FaultProxy,
  isWrite,
  type RawClient,
  startEnsemble,
} from '@test/support/faults/index.js';
import { EACH, NAMESPACE, SOON, useStage } from './registry/stage.js';

const JOB = 'refused';
const ITEMS = [0, 1, 2, 3];
/** Permissions to read, and to change the ACL back. */
const READ_ONLY = 1 + 16;
const QUOTA = `/zookeeper/quota/${NAMESPACE}/${JOB}`;
const NO_MORE_NODES = 'count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=1';
/** Time for which requests are counted, in milliseconds. */
const COUNTED_MS = 10_000;

const stage = useStage();
const nextFireTime = fireTimes({ wallNow: () => stage().clock.wallNow() });
let runtime: ElasticJobRuntime | undefined;
let events: JobEvent[];
let runs: number[];
/** Resolves the handlers that wait. */
let letGo: () => void;
let gate: Promise<void>;

beforeEach(() => {
  events = [];
  runs = [];
  close();
});
afterEach(async () => {
  letGo();
  await runtime?.stop();
});

describe('settles that a real server refuses', EACH, () => {
  it('records all ends and runs all items again when their read-only nodes are writable again', async () => {
    const server = await stage().server();
    await start(stage().center({ servers: server.connect, sessionTimeoutMs: 10_000 }));
    const operator = await stage().add(connectRawClient(server.port, { sessionTimeoutMs: 60_000 }));
    const first = tick();
    await expect.poll(() => inOrder(runs), SOON).toEqual(ITEMS);

    await setItemAcls(operator, READ_ONLY);
    letGo();
    await expect.poll(() => told('settle-delayed').length, SOON).toBe(1);
    expect(told('settle-delayed')).toMatchObject([{ items: ITEMS, error: { code: 'NO_AUTH' } }]);
    expect(judgeReadiness(runtime!.status()).status).toBe('degraded');
    await setItemAcls(operator, ALL_PERMISSIONS);
    await first;

    expect(told('settled').map(({ outcome }) => outcome.kind)).toEqual(ITEMS.map(() => 'succeeded'));
    expect(judgeReadiness(runtime!.status()).status).toBe('up');
    await tick();
    expect(inOrder(runs)).toEqual(ITEMS.flatMap((item) => [item, item]));
    expect(told('mark-released')).toEqual([]);
  });
});

describe('begins that a real server refuses', EACH, () => {
  it('makes no storm of requests while a quota is exceeded, and runs all items once it is raised', async () => {
    const { server, proxy } = await stage().network({ jvmFlags: ['-Dzookeeper.enforceQuota=true'] });
    await start(stage().center({ servers: proxy.connect, sessionTimeoutMs: 10_000 }));
    await runOnce();
    const operator = await stage().add(connectRawClient(server.port, { sessionTimeoutMs: 60_000 }));
    for (const path of [`/zookeeper/quota/${NAMESPACE}`, QUOTA]) await operator.create(path);
    await operator.create(`${QUOTA}/zookeeper_limits`, { data: NO_MORE_NODES });
    await operator.create(`${QUOTA}/zookeeper_stats`, { data: 'count=0,bytes=0' });

    expect(await refusedPerSecond(proxy, -125)).toBeLessThanOrEqual(1);
    await operator.remove(`${QUOTA}/zookeeper_limits`);
    expect(await runAgain()).toEqual(ITEMS);
  });

  it.each([
    ['of all items', ITEMS],
    ['of one item', [2]],
  ])('makes no storm of requests while the nodes %s are read-only, and runs all items afterwards', async (_, items) => {
    const { server, proxy } = await stage().network();
    await start(stage().center({ servers: proxy.connect, sessionTimeoutMs: 10_000 }));
    await runOnce();
    const operator = await stage().add(connectRawClient(server.port, { sessionTimeoutMs: 60_000 }));
    await setItemAcls(operator, READ_ONLY, items);

    expect(await refusedPerSecond(proxy, 'NO_AUTH')).toBeLessThanOrEqual(1);
    await setItemAcls(operator, ALL_PERMISSIONS, items);
    expect(await runAgain()).toEqual(ITEMS);
  });

  it('stops a job while a node of one item is read-only, and lets it catch up afterwards', async () => {
    const server = await stage().server();
    const options = { cron: '* * * * * ?', misfirePolicy: 'all', misfireLimit: 1_000 } as const;
    await start(stage().center({ servers: server.connect, sessionTimeoutMs: 10_000 }), options);
    letGo();
    await expect.poll(() => runs.length, SOON).toBeGreaterThanOrEqual(ITEMS.length);
    const operator = await stage().add(connectRawClient(server.port, { sessionTimeoutMs: 60_000 }));
    await setItemAcls(operator, READ_ONLY, [2]);
    await expect.poll(() => told('error').length, SOON).toBeGreaterThan(0);
    runs.length = 0;
    await stage().clock.sleep(5_000);
    expect(runs).toEqual([]);
    expect(judgeReadiness(runtime!.status()).details.reasons.join()).toContain(`/${JOB}/sharding/2`);
    expect(told('error').length).toBeLessThan(5);

    await setItemAcls(operator, ALL_PERMISSIONS, [2]);
    const perItem = () => ITEMS.map((of) => runs.filter((item) => item === of).length);
    await expect.poll(() => Math.min(...perItem()), SOON).toBeGreaterThanOrEqual(5);
    await expect.poll(() => judgeReadiness(runtime!.status()).status, SOON).toBe('up');
    expect(told('missed')).toEqual([]);
  });

  it.each([
    ['an overload', -127],
    ['a read-only server', -119],
    ['a timeout of its own', -122],
    ['an unknown code', -999],
  ])('makes no storm of requests during %s (%i), and runs all items afterwards', async (_, code) => {
    const { proxy } = await stage().network();
    await start(stage().center({ servers: proxy.connect, sessionTimeoutMs: 10_000 }));
    await runOnce();
    proxy.answerWith(code, isWrite);

    expect(await refusedPerSecond(proxy, code)).toBeLessThanOrEqual(1);
    await proxy.heal();
    expect(await runAgain()).toEqual(ITEMS);
  });
});

describe('a server without a quorum that serves reads alone', EACH, () => {
  it('opens no session on the only server left, which serves reads, before there is a quorum', async () => {
    const ensemble = await stage().add(startEnsemble(3, { jvmFlags: ['-Dreadonlymode.enabled=true'] }));
    const center = stage().center({ servers: ensemble.connect, sessionTimeoutMs: 4_000 });
    const states: (string | undefined)[] = [];
    center.onSession(({ state }) => states.push(state));
    await center.connect();
    const [survivor, ...others] = ensemble.members;
    await Promise.all(others.map((member) => member.kill()));
    const isReadOnly = () => survivor!.fourLetter('isro').catch(() => '');
    await expect.poll(isReadOnly, { timeout: 30_000 }).toContain('ro');
    await expect.poll(() => states.at(-1), SOON).toBe('LOST');
    expect(states).toEqual(['CONNECTED', 'SUSPENDED', 'LOST']);

    await others[0]!.restart();
    await expect.poll(() => states.at(-1), { timeout: 30_000 }).toBe('RECONNECTED');
    await center.close();
  });
});

async function start(registry: RegistryCenter, more: Partial<JobOptions> = {}): Promise<void> {
  runtime = new ElasticJobRuntime({ registry, clock: stage().clock });
  runtime.events.on((event) => events.push(event));
  const place = 'refusals.spec';
  // Due only when a test triggers it. A refused run is owed, and caught up on.
  const options = { name: JOB, cron: '0 0 0 1 1 ?', shardingTotalCount: ITEMS.length, ...more };
  const configuration = resolveJobOptions(options, { place });
  const handler = async ({ shardingItem }: { readonly shardingItem: number }) => {
    runs.push(shardingItem);
    await gate;
  };
  await runtime.registrar.register({ configuration, className: JOB, place, handler });
  await runtime.start();
}

function close(): void {
  gate = new Promise((resolve) => (letGo = resolve));
}

function tick(): Promise<boolean> {
  return runtime!.registrar.of(JOB).currentSession!.tick(nextFireTime());
}

async function runOnce(): Promise<void> {
  letGo();
  await tick();
  expect(inOrder(runs)).toEqual(ITEMS);
  runs.length = 0;
}

/** The requests of a job whose begin is refused. @param why ZooKeeper's code of the answer, or the error's */
async function refusedPerSecond(proxy: FaultProxy, why: number | string): Promise<number> {
  await expect(tick()).rejects.toMatchObject(typeof why === 'number' ? { serverCode: why } : { code: why });
  await stage().clock.sleep(COUNTED_MS / 2);
  const before = proxy.counters.requests;
  await stage().clock.sleep(COUNTED_MS);
  const perSecond = (proxy.counters.requests - before) / (COUNTED_MS / 1_000);
  console.log(`${why}: ${perSecond} requests a second`);
  expect(runs).toEqual([]);
  return perSecond;
}

async function runAgain(): Promise<readonly number[]> {
  await expect.poll(() => runtime!.status().jobs[0]!.refused, SOON).toBeUndefined();
  await tick();
  return inOrder(runs);
}

async function setItemAcls(operator: RawClient, permissions: number, items = ITEMS): Promise<void> {
  for (const item of items) {
    for (const path of [`/sharding/${item}`, `/sharding/${item}/record`]) {
      const { error } = await operator.setAcl(`/${NAMESPACE}/${JOB}${path}`, permissions);
      // None of our instances has run the item yet.
      if (error !== 0 && error !== -101) throw new Error(`setAcl ${path}: ${error}`);
    }
  }
}

function told<Kind extends JobEvent['kind']>(kind: Kind): Extract<JobEvent, { kind: Kind }>[] {
  return events.filter((event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind);
}

function inOrder(items: readonly number[]): number[] {
  return items.toSorted((a, b) => a - b);
}
