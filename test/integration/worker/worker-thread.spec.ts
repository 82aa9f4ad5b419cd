import { BroadcastChannel } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { ConfigurationError } from '../../../libs/elastic-job/src/domain/index.js';
import {
  RegistryUnavailableError,
  type SessionInfo,
  type SessionState,
  ZooKeeperRegistryCenter,
  type ZooKeeperOptions,
} from '../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { type Bundle, bundle } from '@test/support/bundle/bundle.js';
import { forkClient, OpenHandles } from '@test/support/faults/index.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const SESSION_MS = 1_200;
/** A process may have to compile what it imports first. */
const START_LIMIT_MS = 40_000;
const clock = new SystemClock();
const handles = new OpenHandles();
let workers: Bundle;
let namespace: string;

beforeAll(async () => {
  workers = await bundle({
    worker: 'libs/elastic-job/src/registry/zookeeper/worker/connection-worker.ts',
    mortal: 'test/integration/worker/mortal-worker.fixture.ts',
  });
});
afterAll(() => workers.remove());
beforeEach(() => {
  namespace = `worker/${clock.uuid()}`;
});
afterEach(() => handles.stopAll());

describe('a handler that computes without a pause', { timeout: 60_000 }, () => {
  it('keeps its session if the connection is in a worker thread, and loses one in the process at once', async () => {
    const [inWorker, inProcess] = [await connected({}), await connected({ connection: 'in-process' })];
    const created = await createdEphemeral(inWorker, '/worker');
    await createdEphemeral(inProcess);
    const [statesInWorker, statesInProcess] = [recordStates(inWorker), recordStates(inProcess)];
    const reconnected = next(inProcess, 'RECONNECTED');
    block(3 * SESSION_MS);
    expect(inWorker.leaseRemainingMs()).toBeGreaterThan(0);
    expect(inProcess.leaseRemainingMs()).toBe(0);
    expect((await inWorker.read('/worker'))?.stat).toEqual(created);
    await reconnected;
    expect(statesInProcess).toEqual(['SUSPENDED', 'LOST', 'RECONNECTED']);
    expect(await inProcess.read('/e')).toBeUndefined();
    expect((await inWorker.read('/worker'))?.stat).toEqual(created);
    expect(statesInWorker).toEqual([]);
  });

  it('cannot act for the session any more if it blocks beyond maxBlockedMs', async () => {
    const center = await connected({ sessionTimeoutMs: 20_000, maxBlockedMs: 400 });
    const other = await connected({ sessionTimeoutMs: 20_000, connection: 'in-process' });
    await createdEphemeral(center);
    const before = center.session.id;
    const order: unknown[] = [];
    center.onSession(({ state }) => order.push(state));
    const reconnected = next(center, 'RECONNECTED');
    const asked = center.exists('/').then(
      () => order.push('answer'),
      () => order.push('no answer'),
    );
    await requestsHaveLeft();
    block(1_000);
    expect(center.leaseRemainingMs()).toBe(0);
    expect(await other.exists('/e')).toBeUndefined();
    const { id } = await reconnected;
    await asked;
    expect(order.slice(0, 2)).toEqual(['SUSPENDED', 'LOST']);
    expect(order).toContain('no answer');
    expect(id).not.toBe(before);
    await center.create('/e', '', 'EPHEMERAL');
  });

  it('costs nothing if it blocks again and again for less than maxBlockedMs', async () => {
    const center = await connected({ maxBlockedMs: 1_500 });
    const states = recordStates(center);
    for (let round = 0; round < 4; round += 1) {
      block(500);
      await clock.sleep(10);
    }
    expect(await center.exists('/')).toBeDefined();
    expect(states).toEqual([]);
  });

  it('keeps session and views if the network breaks while it blocks', async () => {
    const proxy = await handles.add(forkClient(new URL('cutting-proxy.fixture.ts', import.meta.url), [port()]));
    const isStarted = (told: unknown): told is { connect: string } => typeof told === 'object';
    const { connect } = await proxy.receive(isStarted, START_LIMIT_MS);
    const [center, other] = [await connected({ servers: connect }), await connected({})];
    const created = await createdEphemeral(center);
    const view = await center.openSubtree('/', () => {});
    const states = recordStates(center);
    const reconnected = next(center, 'RECONNECTED');
    proxy.send({ cutInMs: 200 });
    const written = other.create('/p', '', 'PERSISTENT');
    block(2 * SESSION_MS);
    expect(center.leaseRemainingMs()).toBeGreaterThan(0);
    await reconnected;
    await written;
    await view.sync();
    expect(states).toEqual(['SUSPENDED', 'RECONNECTED']);
    expect(view.node('/e')?.stat).toEqual(created);
    expect(view.children('/').toSorted()).toEqual(['e', 'p']);
  });

  it('is warned of, with the remedy, if it blocks for a third of what the session can bear', async () => {
    const [inProcess, inWorker] = [
      await connected({ connection: 'in-process' }),
      await connected({ maxBlockedMs: 900 }),
    ];
    const heard = Promise.all(
      [inProcess, inWorker].map((center) => new Promise((resolve) => center.onWarning(resolve))),
    );
    block(500);
    expect(await heard).toEqual([
      expect.stringMatching(/stood still for \d+ ms; 960 ms cost the session.*worker-thread/),
      expect.stringMatching(/stood still for \d+ ms; 900 ms cost the session.*maxBlockedMs/),
    ]);
    expect(inProcess.session.state).toBe('CONNECTED');
  });
});

describe('a connection in the process', () => {
  it('warns of an event loop that stood still', async () => {
    const runtime = new ElasticJobRuntime({ registry: make({ connection: 'in-process' }), clock });
    void handles.add(runtime);
    const warning = new Promise<JobEvent>((resolve) => {
      runtime.events.on((event) => event.kind === 'warning' && resolve(event));
    });
    await runtime.start();
    block(500);
    expect(await warning).toEqual({
      kind: 'warning',
      jobName: undefined,
      message: expect.stringContaining('The event loop stood still'),
    });
  });

  it('warns, with remedies, of servers whose tick is longer than a third of the session', async () => {
    const center = make({ connection: 'in-process', serverTickMs: SESSION_MS / 2 });
    const heard: string[] = [];
    center.onWarning((message) => heard.push(message));
    await center.connect();
    expect(heard).toEqual([expect.stringMatching(/fewer than three ticks of 600 ms.*sessionTimeoutMs.*tickTime/)]);
  });
});

describe('the worker thread of a connection', () => {
  it('costs the session if it ends, and the next session has a worker of its own', async () => {
    const center = await connected({ workerUrl: workers.url('mortal') });
    const before = center.session.id;
    const states = recordStates(center);
    const reconnected = next(center, 'RECONNECTED');
    const answered = center.create('/a', '', 'PERSISTENT').then(
      () => 'created',
      ({ fate }: RegistryUnavailableError) => fate,
    );
    await requestsHaveLeft();
    const channel = new BroadcastChannel('end of the connection worker');
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads, not a window
    channel.postMessage('end');
    channel.close();
    const { id } = await reconnected;
    expect(states).toEqual(['SUSPENDED', 'LOST', 'RECONNECTED']);
    expect(id).not.toBe(before);
    expect(['created', 'unknown']).toContain(await answered);
    await center.create('/b', '', 'EPHEMERAL');
  });

  it('fails to connect at once if its entry is missing, and the error names it and the option', async () => {
    const connecting = make({ workerUrl: new URL('file:///nowhere/worker.js') }).connect();
    await expect(connecting).rejects.toThrow(ConfigurationError);
    await expect(connecting).rejects.toThrow(/workerUrl: .*file:\/\/\/nowhere\/worker\.js/);
  });

  it('can connect again at once after a connect that failed', async () => {
    const center = make({});
    await expect(center.connect({ timeoutMs: 1 })).rejects.toThrow(RegistryUnavailableError);
    await center.connect();
    expect(center.session.state).toBe('CONNECTED');
  });
});

function make(options: Partial<ZooKeeperOptions>): ZooKeeperRegistryCenter {
  const made = new ZooKeeperRegistryCenter(
    {
      servers: zooKeeper,
      namespace,
      sessionTimeoutMs: SESSION_MS,
      connection: 'worker-thread',
      workerUrl: workers.url('worker'),
      ...options,
    },
    clock,
  );
  void handles.add({ stop: () => made.close() });
  return made;
}

async function connected(options: Partial<ZooKeeperOptions>): Promise<ZooKeeperRegistryCenter> {
  const made = make(options);
  await made.connect();
  return made;
}

async function createdEphemeral(center: ZooKeeperRegistryCenter, path = '/e'): Promise<unknown> {
  await center.create(path, '', 'EPHEMERAL');
  return (await center.read(path))?.stat;
}

function recordStates(center: ZooKeeperRegistryCenter): (SessionState | undefined)[] {
  const states: (SessionState | undefined)[] = [];
  center.onSession(({ state }) => states.push(state));
  return states;
}

function next(center: ZooKeeperRegistryCenter, awaited: SessionState): Promise<SessionInfo> {
  return new Promise((resolve) => center.onSession((session) => session.state === awaited && resolve(session)));
}

function port(): string {
  return zooKeeper.split(':')[1]!;
}

/** They leave together, at the end of the turn. */
function requestsHaveLeft(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Keeps this thread from everything else. */
function block(ms: number): void {
  // Blocks like a busy loop, without taking a core from the other threads of this machine.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
