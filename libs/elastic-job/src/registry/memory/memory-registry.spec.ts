import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { InstanceClock, VirtualClock } from '../../testing/index.js';
import type { RegistryCenter, SessionInfo, SubtreeEvent } from '../registry-center.js';
import { RegistryUnavailableError, SessionLostError } from '../registry.errors.js';
import { MemoryRegistry } from './memory-registry.js';
import type { MemoryRegistryCenter, MemoryRegistryCenterOptions } from './memory-registry-center.js';

const SESSION_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 1_000;

let clock: VirtualClock;
let registry: MemoryRegistry;

beforeEach(() => {
  clock = new VirtualClock();
  registry = new MemoryRegistry(clock);
});

describe('a client whose connection is suspended', () => {
  it('given requests in flight and new ones, when it is suspended, then the first are of unknown fate and the others never left', async () => {
    const client = await connected();
    const inFlight = client.set('/', 'x');
    registry.suspend(idOf(client));
    expect(client.session.state).toBe('SUSPENDED');
    await expect(inFlight).rejects.toMatchObject({ operation: 'set /', fate: 'unknown' });
    await expect(client.read('/')).rejects.toMatchObject({ operation: 'read /', fate: 'not-applied' });
  });

  it('given changes meanwhile, when it resumes in time, then session and nodes are kept, and the view is repaired before reset', async () => {
    const [client, other] = [await connected(), await connected()];
    await client.create('/e', '', 'EPHEMERAL');
    const heard: unknown[] = [];
    const view = await client.openSubtree('/', (event) => heard.push([event.kind, view.children('/').toSorted()]));
    const states = statesOf(client);
    const id = idOf(client);

    registry.suspend(id);
    await other.create('/missed', '', 'PERSISTENT');
    await clock.advance(SESSION_TIMEOUT_MS * 0.7);
    registry.resume(id);
    await clock.advance(SESSION_TIMEOUT_MS);

    expect(states).toEqual([`SUSPENDED ${id}`, `RECONNECTED ${id}`]);
    expect(heard).toEqual([['reset', ['e', 'missed']]]);
    await other.create('/later', '', 'PERSISTENT');
    await view.sync();
    expect(view.children('/').toSorted()).toEqual(['e', 'later', 'missed']);
  });

  it('given 4/5 of the timeout, when nobody answers, then it declares LOST before the server frees its nodes', async () => {
    const [client, other] = [await connected(), await connected()];
    await client.create('/e', '', 'EPHEMERAL');
    const view = await client.openSubtree('/', () => {});
    const id = idOf(client);
    const states = statesOf(client);

    registry.suspend(id);
    await clock.advance(8_000);
    expect(states).toEqual([`SUSPENDED ${id}`, `LOST ${id}`]);
    expect(() => view.children('/')).toThrow(SessionLostError);
    await expect(client.read('/e')).rejects.toThrow(SessionLostError);
    await clock.advance(1_999);
    expect(await other.exists('/e')).toBeDefined();
    await clock.advance(1);
    expect(await other.exists('/e')).toBeUndefined();
  });

  it.each([8_500, 60_000])(
    'given a client that declared LOST, when it may connect again after %i ms, then it has a new session, and the old nodes go when the old one has had its time',
    async (ms) => {
      const [client, other] = [await connected(), await connected()];
      await client.create('/e', '', 'EPHEMERAL');
      const id = idOf(client);
      registry.suspend(id);
      await clock.advance(ms);
      registry.resume(id);
      await clock.advance(0);
      expect(client.session.state).toBe('RECONNECTED');
      expect(client.session.id).not.toBe(id);
      expect((await other.exists('/e')) === undefined).toBe(ms > SESSION_TIMEOUT_MS);
      await clock.advance(SESSION_TIMEOUT_MS);
      expect(await client.children('/')).toEqual([]);
      expect(clock.pendingTimers).toBe(0);
    },
  );

  it('given a connection that comes back too slowly, when LOST is declared meanwhile, then the old session is not resumed', async () => {
    const client = await connected({ latencyMs: 400 });
    const id = idOf(client);
    const states = statesOf(client);
    registry.suspend(id);
    await clock.advance(7_900);
    registry.resume(id);
    await clock.advance(2_000);
    expect(states).toEqual([`SUSPENDED ${id}`, `LOST ${id}`, `RECONNECTED ${idOf(client)}`]);
    expect(idOf(client)).not.toBe(id);
  });

  it('given a suspended client, when its session expires, then it may connect again and no timeout is left', async () => {
    const client = await connected();
    const id = idOf(client);
    registry.suspend(id);
    registry.expire(id);
    await clock.advance(0);
    expect(client.session.state).toBe('RECONNECTED');
    expect(idOf(client)).not.toBe(id);
    expect(clock.pendingTimers).toBe(0);
  });

  it('given a client in good order, when it is resumed or healed, then nothing happens to it', async () => {
    const client = await connected();
    const states = statesOf(client);
    registry.resume(idOf(client));
    registry.heal(idOf(client));
    await clock.advance(SESSION_TIMEOUT_MS);
    expect(states).toEqual([]);
  });

  it('given a suspended client, when it closes, then that takes no time, and the server ends the session after its timeout', async () => {
    const [client, other] = [await connected(), await connected()];
    await client.create('/e', '', 'EPHEMERAL');
    const states = statesOf(client);
    registry.suspend(idOf(client));
    await client.close();
    expect(await other.exists('/e')).toBeDefined();
    await clock.advance(SESSION_TIMEOUT_MS);
    expect(await other.exists('/e')).toBeUndefined();
    expect(states.at(-1)).toBe('undefined undefined');
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a client whose process is frozen', () => {
  it('given requests on their way, when it thaws in time, then they were applied, and answers and news come in order', async () => {
    const [client, other] = [await connected({ latencyMs: 20, requestTimeoutMs: 60_000 }), await connected()];
    const told: string[] = [];
    const note = (event: SubtreeEvent) => told.push('path' in event ? event.path : event.kind);
    await during(() => client.openSubtree('/', note));
    const asked = client.create('/a', '', 'PERSISTENT').then(() => told.push('answer'));

    client.freeze();
    await clock.advance(500);
    await other.create('/b', '', 'PERSISTENT');
    await clock.advance(500);
    expect(await other.exists('/a')).toBeDefined();
    expect(told).toEqual([]);
    client.thaw();
    expect(told).toEqual(['/a', '/b']);
    await asked;

    await clock.advance(SESSION_TIMEOUT_MS);
    expect(client.session.state).toBe('CONNECTED');
    await expect(during(() => client.exists('/b'))).resolves.toBeDefined();
  });

  it('given it is silent, when time passes, then its lease runs out before the server frees its nodes', async () => {
    const [client, other] = [await connected(), await connected()];
    await client.create('/e', '', 'EPHEMERAL');

    client.freeze();
    await clock.advance(7_999);
    expect(client.leaseRemainingMs()).toBe(1);
    await clock.advance(2_000);
    expect(client.leaseRemainingMs()).toBe(0);
    expect(await other.exists('/e')).toBeDefined();
    await clock.advance(1);

    expect(await other.exists('/e')).toBeUndefined();
    expect(client.session.state).toBe('CONNECTED');
  });

  it('given its lease ran out, when it thaws, then LOST comes first and nothing of the session is delivered', async () => {
    const [client, other] = [await connected({ requestTimeoutMs: 60_000 }), await connected()];
    const told: string[] = [];
    await client.openSubtree('/', ({ kind }) => told.push(kind));
    client.onSession(({ state }) => told.push(state!));
    const id = idOf(client);
    const asked = client.create('/a', '', 'PERSISTENT');

    client.freeze();
    await other.create('/b', '', 'PERSISTENT');
    await clock.advance(8_000);
    client.thaw();
    expect(told).toEqual(['SUSPENDED', 'LOST']);
    await expect(asked).rejects.toMatchObject({ fate: 'unknown' });
    await clock.advance(SESSION_TIMEOUT_MS);

    expect(told).toEqual(['SUSPENDED', 'LOST', 'RECONNECTED']);
    expect(idOf(client)).not.toBe(id);
    await expect(client.exists('/a')).resolves.toBeDefined();
  });

  it('counts its lease on when it thaws while the network carries nothing', async () => {
    const client = await connected();
    registry.cut(idOf(client), 'requests');
    await clock.advance(1_000);
    client.freeze();
    await clock.advance(3_000);
    client.thaw();

    expect(client.leaseRemainingMs()).toBe(4_000);
  });

  it('asks the server when a machine slept, and only its wall clock went on', async () => {
    const client = await connected();
    const told: string[] = [];
    client.onSession(({ state }) => told.push(state!));
    const id = idOf(client);

    client.freeze();
    clock.setWall(clock.wallNow() + 3_600_000);
    client.thaw();
    expect([told, client.leaseRemainingMs()]).toEqual([['SUSPENDED'], 0]);
    await clock.advance(0);

    expect(told).toEqual(['SUSPENDED', 'RECONNECTED']);
    expect(idOf(client)).toBe(id);
    expect(client.leaseRemainingMs()).toBe(8_000);
  });

  it('is LOST 2 s after its wall clock was set forward, if no server answers', async () => {
    const client = await connected();
    const told: string[] = [];
    client.onSession(({ state }) => told.push(state!));

    registry.suspend(idOf(client));
    clock.setWall(clock.wallNow() + 3_600_000);
    const asked = client.exists('/').catch((error: unknown) => error);
    await clock.advance(1_999);
    expect(told).toEqual(['SUSPENDED']);
    await clock.advance(1);

    expect(told).toEqual(['SUSPENDED', 'LOST']);
    expect(await asked).toMatchObject({ code: 'SESSION_LOST' });
  });

  it('given it thawed in time, when its sign of life comes too late, then the server ends the connection and it is LOST', async () => {
    const client = await connected({ latencyMs: 5_000, requestTimeoutMs: 60_000 });
    const states = statesOf(client);
    const id = idOf(client);

    client.freeze();
    await clock.advance(7_900);
    client.thaw();
    await clock.advance(30_000);

    expect(states).toEqual([`SUSPENDED ${id}`, `LOST ${id}`, `RECONNECTED ${idOf(client)}`]);
  });

  it.each([
    ['is cut off on its way', 1_000, 7_000, (id: string) => registry.cut(id, 'requests')],
    ['is on its way for too long', 5_000, 7_900, () => {}],
  ])(
    'given it thawed in time, when its sign of life %s, then it is LOST before the server frees its nodes',
    async (_, latencyMs, pauseMs, fault) => {
      const [client, other] = [await connected({ latencyMs, requestTimeoutMs: 60_000 }), await connected()];
      await during(() => client.create('/e', '', 'EPHEMERAL'));
      const states = statesOf(client);
      const id = idOf(client);

      client.freeze();
      await clock.advance(pauseMs);
      client.thaw();
      expect(client.leaseRemainingMs()).toBe(8_000 - pauseMs);
      await clock.advance(50);
      fault(id);
      await clock.advance(9_949 - pauseMs);

      expect(states).toEqual([`SUSPENDED ${id}`, `LOST ${id}`]);
      expect(await other.exists('/e')).toBeDefined();
      await clock.advance(1);
      expect(await other.exists('/e')).toBeUndefined();
    },
  );

  it.each([
    ['its connection breaks', (id: string) => registry.suspend(id), (id: string) => registry.resume(id)],
    ['its session is ended', (id: string) => registry.expire(id), () => {}],
  ])('given %s meanwhile, when it thaws, then it hears of that and comes back', async (_, fault, repair) => {
    const client = await connected();
    const states = statesOf(client);
    const id = idOf(client);

    client.freeze();
    fault(id);
    await clock.advance(1_000);
    expect(states).toEqual([]);
    client.thaw();
    expect(states).toEqual([`SUSPENDED ${id}`]);
    repair(id);
    await clock.advance(1_000);

    expect(states.at(-1)).toBe(`RECONNECTED ${idOf(client)}`);
  });

  it('given it is connecting, when it thaws in time, then it is connected and stays so', async () => {
    const client = registry.center(options({ latencyMs: 200 }));
    const connecting = client.connect();

    client.freeze();
    await clock.advance(900);
    expect(client.session.state).toBeUndefined();
    client.thaw();
    await connecting;
    await clock.advance(3 * SESSION_TIMEOUT_MS);

    expect(client.session.state).toBe('CONNECTED');
    expect(client.leaseRemainingMs()).toBe(8_000);
    await expect(during(() => client.exists('/'))).resolves.toBeDefined();
  });
});

describe('a client that is cut off', () => {
  it('given a zombie, when it goes on, then it believes to be connected, its nodes are gone, and nothing of it is applied', async () => {
    const [zombie, other] = [await connected(), await connected()];
    await zombie.create('/e', '', 'EPHEMERAL');
    const view = await zombie.openSubtree('/', () => {});
    const states = statesOf(zombie);
    registry.cutOff(idOf(zombie));
    expect(await other.children('/')).toEqual([]);

    const written = zombie.create('/late', '', 'PERSISTENT').catch((error: unknown) => error);
    const synced = view.sync().catch((error: unknown) => error);
    await clock.advance(REQUEST_TIMEOUT_MS);
    expect(await written).toBeInstanceOf(RegistryUnavailableError);
    expect(await written).toMatchObject({ fate: 'unknown' });
    expect(await synced).toBeInstanceOf(RegistryUnavailableError);
    expect(view.children('/')).toEqual(['e']);
    expect(states).toEqual([]);
    expect(zombie.session.state).toBe('CONNECTED');
    expect(await other.children('/')).toEqual([]);
  });

  it('given a zombie, when it is healed, then it learns SUSPENDED, LOST and RECONNECTED with a new session', async () => {
    const zombie = await connected();
    const view = await zombie.openSubtree('/', () => {});
    const states = statesOf(zombie);
    const id = idOf(zombie);
    registry.cutOff(id);
    registry.heal(id);
    await clock.advance(0);
    expect(states).toEqual([`SUSPENDED ${id}`, `LOST ${id}`, `RECONNECTED ${idOf(zombie)}`]);
    expect(idOf(zombie)).not.toBe(id);
    expect(() => view.node('/')).toThrow(SessionLostError);
    expect(await zombie.exists('/')).toBeDefined();
  });

  it('given a zombie, when it closes, then it waits for the answer two seconds at most', async () => {
    const zombie = await connected();
    registry.cutOff(idOf(zombie));
    let closed = false;
    const closing = zombie.close().then(() => (closed = true));
    await clock.advance(1_999);
    expect(closed).toBe(false);
    await clock.advance(1);
    await closing;
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a client that is cut in one direction', () => {
  it.each(['requests', 'replies'] as const)(
    'given its %s do not get through, when that lasts, then it gives up, declares LOST before the server ends the session, and comes back',
    async (lane) => {
      const [client, other] = [await connected(), await connected()];
      await client.create('/e', '', 'EPHEMERAL');
      const [states, id] = [statesOf(client), idOf(client)];

      registry.cut(id, lane);
      await clock.advance(7_000);
      expect(states).toEqual([`SUSPENDED ${id}`]);
      await clock.advance(1_000);
      expect(states).toEqual([`SUSPENDED ${id}`, `LOST ${id}`]);
      expect(await other.exists('/e')).toBeDefined();
      await clock.advance(SESSION_TIMEOUT_MS);
      expect(await other.exists('/e')).toBeUndefined();
      registry.uncut(id, lane);
      await clock.advance(0);

      expect(client.session.state).toBe('RECONNECTED');
    },
  );

  it('given its replies do not get through, when the cut ends in time, then what was written meanwhile is told, and nothing was lost', async () => {
    const client = await connected();
    const [states, id] = [statesOf(client), idOf(client)];
    registry.cut(id, 'replies');
    const written = client.create('/x', '', 'PERSISTENT', { timeoutMs: SESSION_TIMEOUT_MS });

    await clock.advance(5_000);
    registry.uncut(id, 'replies');

    expect(await written).toBe('/x');
    await clock.advance(SESSION_TIMEOUT_MS);
    expect(states).toEqual([]);
  });

  it('given what it has asked for arrives after its session, when the server hears of it, then nothing is done in that session', async () => {
    const own = new InstanceClock(clock.fork());
    const [client, other] = [await connected({ clock: own }), await connected()];
    const id = idOf(client);
    registry.cut(id, 'requests');
    const asked = client.create('/e', '', 'EPHEMERAL').catch((error: unknown) => error);

    own.pause();
    client.freeze();
    await clock.advance(SESSION_TIMEOUT_MS);
    registry.uncut(id, 'requests');
    own.resume();
    client.thaw();

    expect(await asked).toMatchObject({ fate: 'unknown' });
    await clock.advance(SESSION_TIMEOUT_MS);
    expect(client.session).toMatchObject({ state: 'RECONNECTED', id: expect.not.stringMatching(id) });
    expect(await other.exists('/e')).toBeUndefined();
  });
});

describe('a client that closes', () => {
  it('given ephemeral nodes of its own, when it closes, then its view does not tell of their end', async () => {
    const client = await connected();
    await client.create('/e', '', 'EPHEMERAL');
    const heard: string[] = [];
    await client.openSubtree('/', ({ kind }) => heard.push(kind));
    await client.close();
    expect(heard).toEqual([]);
  });

  it('given a zombie that is closing, when it is healed, then it ends at once and leaves nothing', async () => {
    const zombie = await connected();
    const states = statesOf(zombie);
    registry.cutOff(idOf(zombie));
    const closing = zombie.close();
    registry.heal(idOf(zombie));
    await closing;
    await clock.advance(SESSION_TIMEOUT_MS);
    expect(states).toEqual(['undefined undefined']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('given a signal that lives long, when requests have ended, then nothing listens to it any more', async () => {
    const client = await connected();
    const { signal } = new AbortController();
    await client.exists('/', { signal });
    await client.set('/none', '', 0, { signal }).catch(() => {});
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a reply that is lost', () => {
  it('given a write that was committed, when its reply is lost, then its fate is unknown and the session goes on', async () => {
    const client = await connected();
    const heard: string[] = [];
    const view = await client.openSubtree('/', ({ kind }) => heard.push(kind));
    const id = idOf(client);
    const states = statesOf(client);
    registry.loseNextReply(id);
    const written = client.create('/a', 'x', 'PERSISTENT');
    await expect(written).rejects.toMatchObject({ operation: 'create /a', fate: 'unknown' });
    await clock.advance(0);
    expect(states).toEqual([`SUSPENDED ${id}`, `RECONNECTED ${id}`]);
    expect(heard).toEqual(['reset']);
    expect(view.node('/a')?.data).toBe('x');
    await client.set('/a', 'next');
    expect((await client.read('/a'))?.data).toBe('next');
  });

  it('given a client that is cut off before it writes again, when its session ends, then it stays cut off', async () => {
    const client = await connected();
    await client.create('/e', '', 'EPHEMERAL');
    const states = statesOf(client);
    registry.loseNextReply(idOf(client));

    registry.cutOff(idOf(client));
    await clock.advance(0);

    expect(states).toEqual([]);
  });
});

describe('a server that does not serve', () => {
  it('given a rule, when it refuses a transaction, then nothing is applied, and the client is told where', async () => {
    const client = await connected();
    const end = registry.fail(({ kind }) => (kind === 'set' ? 'BAD_VERSION' : undefined));
    const operations = [
      { kind: 'create', path: '/a', data: '', mode: 'PERSISTENT' },
      { kind: 'set', path: '/a', data: 'x' },
    ] as const;

    expect(await client.transaction(operations)).toMatchObject({ kind: 'refused', index: 1, refusal: 'BAD_VERSION' });
    expect(await client.exists('/a')).toBeUndefined();
    end();
    expect(await client.transaction(operations)).toMatchObject({ kind: 'committed' });
  });

  it('given a code for what was applied, when a client writes, then it is told the code, and the node is there', async () => {
    const client = await connected();
    registry.fail(() => ({ code: -7, isApplied: true }));

    await expect(client.create('/a', '', 'PERSISTENT')).rejects.toMatchObject({ serverCode: -7, fate: 'unknown' });
    expect(await client.exists('/a')).toBeDefined();
  });

  it('given a code for all requests, when clients read, sync and write, then only those that it is meant for are told it', async () => {
    const [client, other] = [await connected(), await connected()];
    const view = await client.openSubtree('/', () => {});
    const end = registry.failRequests((sessionId) => (sessionId === idOf(client) ? -127 : undefined));

    for (const asked of [client.exists('/'), view.sync(), client.create('/a', '', 'PERSISTENT')])
      await expect(asked).rejects.toMatchObject({ serverCode: -127 });
    expect(await other.children('/')).toEqual([]);
    end();
    await client.create('/a', '', 'PERSISTENT');
  });
});

describe('order and latency', () => {
  it('given no latency, when a node is written, then nobody hears of it inside of the call', async () => {
    const client = await connected();
    const heard: string[] = [];
    await client.openSubtree('/', ({ kind }) => heard.push(kind));
    const written = client.create('/a', '', 'PERSISTENT');
    expect(heard).toEqual([]);
    await written;
    expect(heard).toEqual(['created']);
  });

  it('given a latency, when requests are made one by one, then each takes that long, and together they take it once', async () => {
    const client = await connected({ latencyMs: 100 });
    const begun = clock.monotonicNow();
    const times = await during(async () => {
      await client.exists('/');
      const first = clock.monotonicNow() - begun;
      await Promise.all([client.exists('/'), client.exists('/')]);
      return [first, clock.monotonicNow() - begun];
    });
    expect(times).toEqual([100, 200]);
  });

  it('given a far and a near client, when the near one writes, then the far one hears it later, but before its own later reply', async () => {
    const [near, far] = [await connected({ latencyMs: 10 }), await connected({ latencyMs: 400 })];
    const order: string[] = [];
    await during(() => far.openSubtree('/', (event) => order.push(`heard ${event.kind}`)));
    await during(async () => {
      const asked = clock.sleep(1).then(() => far.exists('/'));
      await near.create('/a', '', 'PERSISTENT');
      order.push('written');
      await asked;
      order.push('answered');
    });
    expect(order).toEqual(['written', 'heard created', 'answered']);
  });

  it('given an answer that comes too late, when the deadline passes, then the fate is unknown, and it was applied', async () => {
    const [slow, other] = [await connected({ latencyMs: 200 }), await connected()];
    const written = slow.create('/a', '', 'PERSISTENT', { timeoutMs: 150 }).catch((error: unknown) => error);
    await clock.advance(200);
    expect(await written).toMatchObject({ fate: 'unknown', message: 'create /a: no answer within 150 ms' });
    expect(await other.exists('/a')).toBeDefined();
  });
});

describe('the server', () => {
  it('given a later registry, when it writes, then its transaction ids are above those of an earlier one', async () => {
    const earlier = await connected();
    await earlier.create('/a', '', 'PERSISTENT');
    const { mzxid } = await earlier.set('/a', '');
    await clock.advance(1);
    registry = new MemoryRegistry(clock);
    const later = await connected();
    expect((await later.exists('/'))?.czxid).toBeGreaterThan(mzxid);
    expect(mzxid / 1000n).toBe(BigInt(Date.UTC(2030, 0, 1)));
  });

  it('given a client whose clock is wrong, when it writes, then times are those of the server', async () => {
    const wrong = clock.fork();
    wrong.setWall(0);
    const client = await connected({ clock: wrong });
    await client.create('/a', '', 'PERSISTENT');
    expect((await client.exists('/a'))?.ctime).toBe(clock.wallNow());
    expect(await client.serverTime()).toBe(clock.wallNow());
  });

  it('given a session, when its client has closed it, then it is forgotten', async () => {
    const client = await connected();
    const id = idOf(client);
    expect(registry.knowsSession(id)).toBe(true);

    await during(() => client.close());

    expect(registry.knowsSession(id)).toBe(false);
  });

  it('given a session that nobody has, when a fault is made for it, then a RangeError names it', () => {
    expect(() => registry.expire('c0ffee')).toThrow(RangeError);
    expect(() => registry.expire('c0ffee')).toThrow('c0ffee');
  });

  it('given clients that connect and close in a race, when all is over, then no node, session or timer is left', async () => {
    const observer = await connected();
    for (let round = 0; round < 200; round += 1) {
      const client = registry.center(options());
      const connecting = client.connect().then(() => client.create('/e', '', 'EPHEMERAL'));
      const outcome = connecting.catch((error: unknown) => error);
      for (let turn = 0; turn < round % 7; turn += 1) await Promise.resolve();
      await Promise.all([client.close(), client.close()]);
      await outcome;
      expect(client.session).toMatchObject({ state: undefined, id: undefined });
      expect(await observer.children('/')).toEqual([]);
    }
    await observer.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([1, 2, 3, 4, 5])(
    'given random faults (seed %i), when all is healed, then views equal the tree',
    async (seed) => {
      const chance = new VirtualClock({ seed });
      const oneOf = <T>(choices: readonly T[]): T => choices[Math.floor(chance.random() * choices.length)]!;
      const clients = [await connected(), await connected(), await connected()];
      const faults = [
        (id: string) => registry.expire(id),
        (id: string) => registry.suspend(id),
        (id: string) => registry.cutOff(id),
        (id: string) => registry.loseNextReply(id),
      ];
      for (let round = 0; round < 30; round += 1) {
        const victim = oneOf(clients);
        const id = idOf(victim);
        const writes = Array.from({ length: 5 }, () =>
          write(oneOf(clients), `/${oneOf(['a', 'b', 'c'])}`, oneOf(['EPHEMERAL', 'PERSISTENT'])),
        );
        oneOf(faults)(id);
        await clock.advance(oneOf([0, 1_000, 12_000]));
        registry.heal(idOf(victim));
        await clock.advance(REQUEST_TIMEOUT_MS);
        await Promise.all(writes);
        const views = await Promise.all(clients.map((client) => client.openSubtree('/', () => {})));
        await write(oneOf(clients), '/a', 'PERSISTENT');
        for (const view of views) {
          await view.sync();
          const names = view.children('/');
          expect(names.toSorted()).toEqual((await clients[0]!.children('/')).toSorted());
          for (const name of names) expect(view.node(`/${name}`)).toEqual(await clients[0]!.read(`/${name}`));
          view.close();
        }
      }
      await Promise.all(clients.map((client) => client.close()));
      expect(clock.pendingTimers).toBe(0);
    },
  );
});

describe('a client whose server lags behind', () => {
  it('given a change of another, when it waits, then it hears of it late, and is up to date as soon as it has asked', async () => {
    const [client, other] = [await connected({ newsLagMs: 300 }), await connected()];
    const view = await client.openSubtree('/', () => {});
    await other.create('/first', '', 'PERSISTENT');

    await clock.advance(299);
    expect(view.has('/first')).toBe(false);
    await clock.advance(1);
    expect(view.has('/first')).toBe(true);

    await other.create('/second', '', 'PERSISTENT');
    expect(view.has('/second')).toBe(false);
    await view.sync();
    expect(view.has('/second')).toBe(true);
  });

  it('given a lag that shrinks, when others write, then it hears of everything once and in their order', async () => {
    const lags: number[] = [];
    const [client, other] = [await connected({ newsLagMs: () => lags.shift() ?? 0 }), await connected()];
    const heard: string[] = [];
    await client.openSubtree('/', (event) => heard.push('path' in event ? event.path : event.kind));

    lags.push(500, 10, 0, 200);
    for (const path of ['/a', '/b', '/c', '/d']) await other.create(path, '', 'PERSISTENT');
    await clock.advance(1_000);

    expect(heard).toEqual(['/a', '/b', '/c', '/d']);
  });
});

function options(more: Partial<MemoryRegistryCenterOptions> = {}): MemoryRegistryCenterOptions {
  const timeouts = { sessionTimeoutMs: SESSION_TIMEOUT_MS, requestTimeoutMs: REQUEST_TIMEOUT_MS };
  return { namespace: 'test', clock, ...timeouts, ...more };
}

async function connected(more?: Partial<MemoryRegistryCenterOptions>): Promise<MemoryRegistryCenter> {
  const client = registry.center(options(more));
  await during(() => client.connect());
  return client;
}

/** Lets virtual time pass until the work is done. */
async function during<T>(work: () => Promise<T>): Promise<T> {
  const progress = { done: false };
  const result = work().finally(() => (progress.done = true));
  while (!progress.done) await clock.advance(1);
  return result;
}

function idOf(client: RegistryCenter): string {
  return client.session.id!;
}

function statesOf(client: RegistryCenter): readonly string[] {
  const states: string[] = [];
  client.onSession(({ state, id }: SessionInfo) => states.push(`${state} ${id}`));
  return states;
}

/** Creates the node, or changes it, or deletes it; whatever a fault makes of it is fine. */
async function write(client: RegistryCenter, path: string, mode: 'EPHEMERAL' | 'PERSISTENT'): Promise<void> {
  await client
    .create(path, mode, mode)
    .catch(() => client.set(path, 'changed', 0))
    .catch(() => client.delete(path))
    .catch(() => {});
}
