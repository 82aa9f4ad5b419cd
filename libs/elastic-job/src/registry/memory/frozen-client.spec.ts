import { beforeEach, describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../testing/index.js';
import type { SubtreeEvent } from '../registry-center.js';
import type { MemoryRegistry } from './memory-registry.js';
import { idOf, MemoryStage, SESSION_TIMEOUT_MS, statesOf } from '@test/support/unit/memory-stage.js';

let stage: MemoryStage;
let clock: VirtualClock;
let registry: MemoryRegistry;
beforeEach(() => {
  stage = new MemoryStage();
  ({ clock, registry } = stage);
});

describe('a client whose process is frozen', () => {
  it('has its requests applied, and gets events and answers in order if it thaws in time', async () => {
    const [client, other] = [
      await stage.connected({ latencyMs: 20, requestTimeoutMs: 60_000 }),
      await stage.connected(),
    ];
    const told: string[] = [];
    const note = (event: SubtreeEvent) => told.push('path' in event ? event.path : event.kind);
    await stage.during(() => client.openSubtree('/', note));
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
    await expect(stage.during(() => client.exists('/b'))).resolves.toBeDefined();
  });

  it('loses its lease before the server frees its nodes', async () => {
    const [client, other] = [await stage.connected(), await stage.connected()];
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

  it('emits SUSPENDED and LOST, but no other event, if it thaws after its lease has run out', async () => {
    const [client, other] = [await stage.connected({ requestTimeoutMs: 60_000 }), await stage.connected()];
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
    const client = await stage.connected();
    registry.cut(idOf(client), 'requests');
    await clock.advance(1_000);
    client.freeze();
    await clock.advance(3_000);
    client.thaw();

    expect(client.leaseRemainingMs()).toBe(4_000);
  });

  it('asks the server when a machine slept, and only its wall clock went on', async () => {
    const client = await stage.connected();
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
    const client = await stage.connected();
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

  it('loses its session if it thaws in time, but its next request comes too late', async () => {
    const client = await stage.connected({ latencyMs: 5_000, requestTimeoutMs: 60_000 });
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
    'is LOST before the server frees its nodes if it thaws in time, but its sign of life %s',
    async (_, latencyMs, pauseMs, fault) => {
      const [client, other] = [await stage.connected({ latencyMs, requestTimeoutMs: 60_000 }), await stage.connected()];
      await stage.during(() => client.create('/e', '', 'EPHEMERAL'));
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
  ])('emits SUSPENDED once it thaws if %s meanwhile, and reconnects', async (_, fault, repair) => {
    const client = await stage.connected();
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

  it('stays connected if it is frozen while it connects, and thaws in time', async () => {
    const client = registry.center(stage.options({ latencyMs: 200 }));
    const connecting = client.connect();

    client.freeze();
    await clock.advance(900);
    expect(client.session.state).toBeUndefined();
    client.thaw();
    await connecting;
    await clock.advance(3 * SESSION_TIMEOUT_MS);

    expect(client.session.state).toBe('CONNECTED');
    expect(client.leaseRemainingMs()).toBe(8_000);
    await expect(stage.during(() => client.exists('/'))).resolves.toBeDefined();
  });
});
