import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import {
  NoAuthError,
  RegistryUnavailableError,
  SessionLostError,
  type SessionState,
  type SubtreeEvent,
  ZooKeeperRegistryCenter,
  type ZooKeeperOptions,
} from '../../libs/elastic-job/src/registry/index.js';
import { LIMITS } from '@test/support/limits.js';
import { watchStalls } from '@test/support/stalls.js';
import { freePort, listen } from '@test/support/zookeeper/loopback.js';
import { startProxy, type ZooKeeperProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const clock = new SystemClock();
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe('connecting to ZooKeeper', LIMITS, () => {
  it('names servers, namespace and time in one error, in time, if servers refuse', async () => {
    const port = await freePort();
    const servers = `127.0.0.1:${port},localhost:${port}`;
    const center = centerOf({ servers, namespace: 'orders', connectionTimeoutMs: 400 });
    const stalledMs = watchStalls();
    const begun = clock.monotonicNow();
    const connecting = center.connect();
    await expect(connecting).rejects.toThrow(RegistryUnavailableError);
    await expect(connecting).rejects.toThrow(`no session with ${servers} (namespace "orders")`);
    await expect(connecting).rejects.toThrow(/no answer within 400 ms; .*ECONNREFUSED/);
    expect(clock.monotonicNow() - begun).toBeLessThan(10_000 + stalledMs());
    expect(center.session.state).toBeUndefined();
  });

  it('fails in time if a server accepts and stays silent', async () => {
    const center = centerOf({ servers: await silentServer(), connectionTimeoutMs: 300 });
    await expect(center.connect()).rejects.toThrow('no answer within 300 ms');
  });

  it('finds the healthy server beside a silent one', async () => {
    const silent = await silentServer();
    const center = centerOf({ servers: `${silent},${zooKeeper}`, connectionTimeoutMs: 4_000 });
    await center.connect();
    expect(center.session.state).toBe('CONNECTED');
  });

  it('works at the second attempt once the server is back', async () => {
    const proxy = await proxied();
    proxy.block();
    const center = centerOf({ servers: proxy.connect });
    await expect(center.connect({ timeoutMs: 200 })).rejects.toThrow(RegistryUnavailableError);
    proxy.heal();
    await center.connect();
    expect(center.session.state).toBe('CONNECTED');
  });

  it.each([
    ['less', 300, /session of 500 ms instead of 300 ms.*minSessionTimeout/],
    ['more', 3_600_000, /session of \d+ ms instead of 3600000 ms.*maxSessionTimeout/],
  ])(
    'warns of a session of %s than the servers grant, with both times and the setting',
    async (_, sessionTimeoutMs, named) => {
      const center = centerOf({ sessionTimeoutMs });
      const warnings: string[] = [];
      center.onWarning((message) => void warnings.push(message));
      await center.connect();
      expect(warnings).toEqual([expect.stringMatching(named)]);
    },
  );

  it('tells a warning once to a listener that was given twice, and not at all once it is removed', async () => {
    const center = centerOf({ sessionTimeoutMs: 300 });
    const [warnings, left]: string[][] = [[], []];
    const receive = (message: string) => void warnings!.push(message);
    center.onWarning(receive);
    center.onWarning(receive);
    center.onWarning((message) => void left!.push(message))();
    await center.connect();
    expect([warnings, left]).toEqual([[expect.stringContaining('300 ms')], []]);
  });

  it('rejects, and nothing hangs, if the client is closed meanwhile', async () => {
    const center = centerOf({ servers: await silentServer() });
    const connecting = center.connect();
    const rejected = connecting.catch((error: unknown) => error);
    await center.close();
    expect(await rejected).toMatchObject({ fate: 'not-applied' });
  });
});

describe('the digest', LIMITS, () => {
  it('makes a start fail with NoAuthError if it is another one or missing', async () => {
    const namespace = newNamespace();
    const owner = await connected({ namespace, digest: 'alice:secret' });
    await owner.create('/a', '', 'PERSISTENT');
    const wrong = centerOf({ namespace, digest: 'alice:guess' });
    const none = centerOf({ namespace });
    await expect(wrong.connect()).rejects.toThrow(NoAuthError);
    await expect(none.connect()).rejects.toThrow(`/${namespace}: access denied`);
    expect(wrong.session.state).toBeUndefined();
  });

  it('makes reads of many nodes fail with NoAuthError, which names the one that may not be read', async () => {
    const namespace = newNamespace();
    const center = await connected({ namespace });
    await connected({ namespace: `${namespace}/secret`, digest: 'alice:secret' });
    const paths = ['/', '/none', '/secret', '/'];
    const refused = { code: 'NO_AUTH', path: '/secret' };
    await expect(center.readMany(paths)).rejects.toMatchObject(refused);
    await expect(center.childrenMany(paths)).rejects.toMatchObject(refused);
    expect(await center.childrenMany(['/', '/none'])).toEqual([['secret'], undefined]);
  });

  it('authorises requests at once after a cut and after an expiry', async () => {
    const proxy = await proxied();
    const center = await connected({ servers: proxy.connect, digest: 'alice:secret' });
    await center.create('/a', '', 'PERSISTENT');
    const states = [async () => proxy.cut(), () => proxy.expire(center.session.id!)];
    for (const breakIt of states) {
      const back = next(center, 'RECONNECTED').then(() => center.set('/a', 'written'));
      await breakIt();
      expect((await back).version).toBeGreaterThan(0);
    }
  });

  it('counts in the sizes of requests by the ACL of the creator', () => {
    const create = [{ kind: 'create', path: '/a', data: '', mode: 'PERSISTENT' }] as const;
    const [open, owned] = [centerOf({ namespace: 'n' }), centerOf({ namespace: 'n', digest: 'a:b' })];
    expect(open.transactionBytes(create) - owned.transactionBytes(create)).toBe('worldanyone'.length - 'auth'.length);
  });
});

describe('a broken connection', LIMITS, () => {
  it('keeps session and ephemeral nodes if it is mended within the session', async () => {
    const proxy = await proxied();
    const namespace = newNamespace();
    const center = await connected({ servers: proxy.connect, namespace });
    const other = await connected({ namespace });
    await center.create('/e', '', 'EPHEMERAL');
    const { id } = center.session;
    const states = recordStates(center);
    const back = next(center, 'RECONNECTED');
    proxy.cut();
    await back;
    expect(states).toEqual(['SUSPENDED', 'RECONNECTED']);
    expect(center.session.id).toBe(id);
    expect((await other.exists('/e'))?.ephemeralOwner).toBe(id);
  });

  it('leads to LOST and a new session after a longer outage, and the ephemeral node is gone', async () => {
    const proxy = await proxied();
    const namespace = newNamespace();
    const center = await connected({ servers: proxy.connect, namespace, sessionTimeoutMs: 2_000 });
    const other = await connected({ namespace });
    await center.create('/e', '', 'EPHEMERAL');
    const { id } = center.session;
    const states = recordStates(center);
    const gone = new Promise<void>((resolve) => {
      void other.openSubtree('/e', ({ kind }) => kind === 'deleted' && resolve());
    });
    proxy.block();
    await gone;
    // By then this client has given the session up by itself.
    await expect(center.create('/late', '', 'PERSISTENT')).rejects.toThrow(SessionLostError);
    const back = next(center, 'RECONNECTED');
    proxy.heal();
    await back;
    expect(states).toEqual(['SUSPENDED', 'LOST', 'RECONNECTED']);
    expect(center.session.id).not.toBe(id);
    // No request of the time without a connection was kept and sent later.
    expect(await other.exists('/late')).toBeUndefined();
  });

  it('leaves a view correct, which reports reset last', async () => {
    const proxy = await proxied();
    const namespace = newNamespace();
    const center = await connected({ servers: proxy.connect, namespace });
    const other = await connected({ namespace });
    await other.ensurePath('/job/kept/below');
    await other.ensurePath('/job/gone/below');
    await other.ensurePath('/job/again');
    const events: SubtreeEvent[] = [];
    let reset: (() => void) | undefined;
    const told = new Promise<void>((resolve) => (reset = resolve));
    const view = await center.openSubtree('/job', (event) => {
      events.push(event);
      if (event.kind === 'reset') reset?.();
    });
    proxy.block();
    await other.delete('/job/gone/below');
    await other.delete('/job/gone');
    await other.delete('/job/again');
    await other.create('/job/again', 'anew', 'PERSISTENT');
    await other.set('/job/kept', 'changed');
    await other.ensurePath('/job/new/below');
    proxy.heal();
    await told;
    await view.sync();
    expect(view.children('/job').toSorted()).toEqual(['again', 'kept', 'new']);
    expect(view.node('/job/kept')?.data).toBe('changed');
    expect(view.node('/job/new/below')).toBeDefined();
    expect(view.node('/job/gone/below')).toBeUndefined();
    expect(events.filter(({ kind }) => kind !== 'reset')).toEqual(
      expect.arrayContaining([
        { kind: 'deleted', path: '/job/again' },
        { kind: 'created', path: '/job/again' },
        { kind: 'deleted', path: '/job/gone' },
        { kind: 'changed', path: '/job/kept' },
        { kind: 'created', path: '/job/new/below' },
      ]),
    );
    expect(events.at(-1)).toEqual({ kind: 'reset' });
    // The watches are armed again.
    await other.set('/job/kept', 'once more');
    await view.sync();
    expect(view.node('/job/kept')?.data).toBe('once more');
  });

  it('leaves names and held values of a view correct', async () => {
    const proxy = await proxied();
    const namespace = newNamespace();
    const [center, other] = [await connected({ servers: proxy.connect, namespace }), await connected({ namespace })];
    for (const path of ['/job/config', '/job/gone/below', '/job/loaded']) await other.ensurePath(path);
    const events: string[] = [];
    const view = await center.openSubtree(
      '/job',
      (event) => events.push('path' in event ? `${event.kind} ${event.path}` : 'reset'),
      {
        holds: (path) => path.endsWith('config'),
      },
    );
    await view.load(['/job/loaded']);
    const writtenBefore = await center.set('/job/config', 'own');

    proxy.block();
    await other.set('/job/config', 'theirs', writtenBefore.version);
    await other.set('/job/loaded', 'changed');
    await other.delete('/job/gone/below');
    await other.delete('/job/gone');
    await other.ensurePath('/job/new/config');
    const back = next(center, 'RECONNECTED');
    proxy.heal();
    await back;
    await view.sync();

    expect(view.children('/job').toSorted()).toEqual(['config', 'loaded', 'new']);
    expect(view.node('/job/config')?.data).toBe('theirs');
    expect(view.node('/job/new/config')).toEqual(await other.read('/job/new/config'));
    expect(view.node('/job/loaded')).toBeUndefined();
    await view.load(['/job/loaded']);
    expect(view.node('/job/loaded')?.data).toBe('changed');
    expect(events.slice(1).toSorted()).toEqual([
      'changed /job/config',
      'created /job/new',
      'created /job/new/config',
      'deleted /job/gone',
      'deleted /job/gone/below',
      'reset',
    ]);
    expect(events.at(-1)).toBe('reset');
  });

  it('lets a load and a sync under way go on over the next connection', async () => {
    const proxy = await proxied();
    const center = await connected({ servers: proxy.connect });
    await center.ensurePath('/job/a');
    const view = await center.openSubtree('/job', () => {}, { holds: () => false });
    const back = next(center, 'RECONNECTED');
    const work = Promise.all([view.load(['/job/a']), view.sync(), center.openSubtree('/job', () => {})]);
    proxy.cut();
    const [, , other] = await work;
    await back;
    expect(other.node('/job/a')).toEqual(await center.read('/job/a'));
    expect(view.has('/job/a')).toBe(true);
  });

  it('lets the client come back each time, even with replies of 800 KB in flight', async () => {
    const proxy = await proxied();
    const center = await connected({ servers: proxy.connect });
    await center.create('/large', 'x'.repeat(800_000), 'PERSISTENT');
    for (let round = 0; round < 3; round += 1) {
      const back = next(center, 'RECONNECTED');
      const reads = Promise.allSettled(Array.from({ length: 10 }, () => center.read('/large')));
      await center.exists('/large').catch(() => {});
      proxy.cut();
      await reads;
      await back;
      expect((await center.read('/large'))?.data.length).toBe(800_000);
    }
  });

  it('lets the client close soon if there is no server', async () => {
    const proxy = await proxied();
    const center = await connected({ servers: proxy.connect });
    const suspended = next(center, 'SUSPENDED');
    proxy.block();
    await suspended;
    await center.close();
    expect(center.session.state).toBeUndefined();
  });
});

describe('a large view', LIMITS, () => {
  it('is right after each sync of 1000 marks, for at most four reads for each item', async () => {
    const namespace = newNamespace();
    const [reader, writer] = [await connected({ namespace }), await connected({ namespace })];
    const items = Array.from({ length: 1_000 }, (_, item) => `/job/sharding/${item}`);
    await writer.ensurePath('/job/sharding');
    await writer.transaction(items.map((path) => ({ kind: 'create', path, data: '', mode: 'PERSISTENT' })));
    const view = await reader.openSubtree('/job', () => {});
    expect(view.children('/job/sharding')).toHaveLength(1_000);

    for (let round = 0; round < 3; round += 1) {
      const before = reader.traffic.background;
      await writer.transaction(
        items.flatMap((path) => [
          { kind: 'create', path: `${path}/running`, data: '', mode: 'EPHEMERAL' } as const,
          { kind: 'set', path, data: `${round}` } as const,
        ]),
      );
      await view.sync();
      expect(items.filter((path) => !view.node(`${path}/running`))).toEqual([]);
      expect(items.filter((path) => view.node(path)?.data !== `${round}`)).toEqual([]);
      await writer.transaction(items.map((path) => ({ kind: 'delete', path: `${path}/running` })));
      await view.sync();
      expect(items.filter((path) => view.children(path).length > 0)).toEqual([]);
      expect(reader.traffic.background - before).toBeLessThanOrEqual(4_000);
    }
  });
});

function newNamespace(): string {
  return `integration/${clock.uuid()}`;
}

function centerOf(options: Partial<ZooKeeperOptions>): ZooKeeperRegistryCenter {
  const given = { servers: zooKeeper, namespace: newNamespace(), sessionTimeoutMs: 10_000 };
  const center = new ZooKeeperRegistryCenter({ ...given, ...options }, clock);
  cleanups.push(() => center.close());
  return center;
}

async function connected(options: Partial<ZooKeeperOptions>): Promise<ZooKeeperRegistryCenter> {
  const center = centerOf(options);
  await center.connect();
  return center;
}

async function proxied(): Promise<ZooKeeperProxy> {
  const proxy = await startProxy(zooKeeper);
  cleanups.push(() => proxy.stop());
  return proxy;
}

function next(center: ZooKeeperRegistryCenter, state: SessionState): Promise<void> {
  return new Promise((resolve) => {
    const remove = center.onSession((session) => {
      if (session.state !== state) return;
      remove();
      resolve();
    });
  });
}

function recordStates(center: ZooKeeperRegistryCenter): readonly (SessionState | undefined)[] {
  const states: (SessionState | undefined)[] = [];
  center.onSession(({ state }) => states.push(state));
  return states;
}

async function silentServer(): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  const port = await listen(server);
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `127.0.0.1:${port}`;
}
