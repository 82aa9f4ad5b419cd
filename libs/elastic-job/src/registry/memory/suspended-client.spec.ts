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
  it('leaves the fate of requests in flight unknown, and sends no later ones', async () => {
    const client = await stage.connected();
    const inFlight = client.set('/', 'x');
    registry.suspend(idOf(client));
    expect(client.session.state).toBe('SUSPENDED');
    await expect(inFlight).rejects.toMatchObject({ operation: 'set /', fate: 'unknown' });
    await expect(client.read('/')).rejects.toMatchObject({ operation: 'read /', fate: 'not-applied' });
  });

  it('repairs its view before the reset event if it resumes in time', async () => {
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

  it('is LOST after 4/5 of the timeout without an answer, before its nodes are freed', async () => {
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

  it.each([8_500, 60_000])('gets a new session if it has declared LOST and reconnects after %i ms', async (ms) => {
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
  });

  it('does not resume its old session if LOST comes before the answer of the server', async () => {
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

  it('connects again after its session has expired, and leaves no timeout', async () => {
    const client = await stage.connected();
    const id = idOf(client);
    registry.suspend(id);
    registry.expire(id);
    await clock.advance(0);
    expect(client.session.state).toBe('RECONNECTED');
    expect(idOf(client)).not.toBe(id);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is left as it is by resume and heal if nothing is wrong with it', async () => {
    const client = await stage.connected();
    const states = statesOf(client);
    registry.resume(idOf(client));
    registry.heal(idOf(client));
    await clock.advance(SESSION_TIMEOUT_MS);
    expect(states).toEqual([]);
  });

  it('closes without waiting, and leaves its session to the timeout', async () => {
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
