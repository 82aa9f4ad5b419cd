import { beforeEach, describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../testing/index.js';
import { SessionLostError } from '../registry.errors.js';
import type { MemoryRegistry } from './memory-registry.js';
import { idOf, MemoryStage, SESSION_TIMEOUT_MS, statesOf } from '@test/support/unit/memory-stage.js';

let stage: MemoryStage;
let clock: VirtualClock;
let registry: MemoryRegistry;
beforeEach(() => {
  stage = new MemoryStage();
  ({ clock, registry } = stage);
});

describe('a client whose connection is suspended', () => {
  it('given requests in flight, when it is suspended, then their fate is unknown; later ones never left', async () => {
    const client = await stage.connected();
    const inFlight = client.set('/', 'x');
    registry.suspend(idOf(client));
    expect(client.session.state).toBe('SUSPENDED');
    await expect(inFlight).rejects.toMatchObject({ operation: 'set /', fate: 'unknown' });
    await expect(client.read('/')).rejects.toMatchObject({ operation: 'read /', fate: 'not-applied' });
  });

  it('given changes meanwhile, when it resumes in time, then its view is repaired before the reset', async () => {
    const [client, other] = [await stage.connected(), await stage.connected()];
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

  it('given no answer for 4/5 of the timeout, when it waits, then LOST comes before its nodes are freed', async () => {
    const [client, other] = [await stage.connected(), await stage.connected()];
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
    'given a client that declared LOST, when it reconnects after %i ms, then it has a new session',
    async (ms) => {
      const [client, other] = [await stage.connected(), await stage.connected()];
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

  it('given LOST was declared, when the connection comes back, then the old session is not resumed', async () => {
    const client = await stage.connected({ latencyMs: 400 });
    const id = idOf(client);
    const states = statesOf(client);
    registry.suspend(id);
    await clock.advance(7_900);
    registry.resume(id);
    await clock.advance(2_000);
    expect(states).toEqual([`SUSPENDED ${id}`, `LOST ${id}`, `RECONNECTED ${idOf(client)}`]);
    expect(idOf(client)).not.toBe(id);
  });

  it('given a suspended client, when its session expires, then it can reconnect and no timeout is left', async () => {
    const client = await stage.connected();
    const id = idOf(client);
    registry.suspend(id);
    registry.expire(id);
    await clock.advance(0);
    expect(client.session.state).toBe('RECONNECTED');
    expect(idOf(client)).not.toBe(id);
    expect(clock.pendingTimers).toBe(0);
  });

  it('given a client in good order, when it is resumed or healed, then nothing happens to it', async () => {
    const client = await stage.connected();
    const states = statesOf(client);
    registry.resume(idOf(client));
    registry.heal(idOf(client));
    await clock.advance(SESSION_TIMEOUT_MS);
    expect(states).toEqual([]);
  });

  it('given a suspended client, when it closes, then it does not wait, and its session ends by timeout', async () => {
    const [client, other] = [await stage.connected(), await stage.connected()];
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
