import { beforeEach, describe, expect, it } from 'vitest';
import { InstanceClock, type VirtualClock } from '../../testing/index.js';
import { RegistryUnavailableError, SessionLostError } from '../registry.errors.js';
import type { MemoryRegistry } from './memory-registry.js';
import {
  idOf,
  MemoryStage,
  REQUEST_TIMEOUT_MS,
  SESSION_TIMEOUT_MS,
  statesOf,
} from '@test/support/unit/memory-stage.js';

let stage: MemoryStage;
let clock: VirtualClock;
let registry: MemoryRegistry;
beforeEach(() => {
  stage = new MemoryStage();
  ({ clock, registry } = stage);
});

describe('a client that is cut off', () => {
  it('still believes to be connected, but nothing that it writes is applied', async () => {
    const [zombie, other] = [await stage.connected(), await stage.connected()];
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

  it('emits SUSPENDED, LOST and RECONNECTED with a new session once it is healed', async () => {
    const zombie = await stage.connected();
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

  it('waits at most two seconds for an answer if it closes', async () => {
    const zombie = await stage.connected();
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
    'is LOST before its nodes are freed if its %s are cut, and reconnects after the cut',
    async (lane) => {
      const [client, other] = [await stage.connected(), await stage.connected()];
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

  it('gets its reply and keeps its session if the cut of its replies ends in time', async () => {
    const client = await stage.connected();
    const [states, id] = [statesOf(client), idOf(client)];
    registry.cut(id, 'replies');
    const written = client.create('/x', '', 'PERSISTENT', { timeoutMs: SESSION_TIMEOUT_MS });

    await clock.advance(5_000);
    registry.uncut(id, 'replies');

    expect(await written).toBe('/x');
    await clock.advance(SESSION_TIMEOUT_MS);
    expect(states).toEqual([]);
  });

  it('has no request applied that arrives after its session has ended', async () => {
    const own = new InstanceClock(clock.fork());
    const [client, other] = [await stage.connected({ clock: own }), await stage.connected()];
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

describe('a reply that is lost', () => {
  it('leaves the fate of a committed write unknown, and the session goes on', async () => {
    const client = await stage.connected();
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

  it('does not suspend a client that was cut off before its next write', async () => {
    const client = await stage.connected();
    await client.create('/e', '', 'EPHEMERAL');
    const states = statesOf(client);
    registry.loseNextReply(idOf(client));

    registry.cutOff(idOf(client));
    await clock.advance(0);

    expect(states).toEqual([]);
  });
});
