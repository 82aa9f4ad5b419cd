import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import type { RegistryCenter } from '../registry-center.js';
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

describe('the server', () => {
  it('numbers the transactions of a later registry above those of an earlier one', async () => {
    const earlier = await stage.connected();
    await earlier.create('/a', '', 'PERSISTENT');
    const { mzxid } = await earlier.set('/a', '');
    await clock.advance(1);
    const later = await new MemoryStage(clock).connected();
    expect((await later.exists('/'))?.czxid).toBeGreaterThan(mzxid);
    expect(mzxid / 1000n).toBe(BigInt(Date.UTC(2030, 0, 1)));
  });

  it('stamps writes with its own time, even if the clock of the client is wrong', async () => {
    const wrong = clock.fork();
    wrong.setWall(0);
    const client = await stage.connected({ clock: wrong });
    await client.create('/a', '', 'PERSISTENT');
    expect((await client.exists('/a'))?.ctime).toBe(clock.wallNow());
    expect(await client.serverTime()).toBe(clock.wallNow());
  });

  it('forgets a session once its client has closed it', async () => {
    const client = await stage.connected();
    const id = idOf(client);
    expect(registry.knowsSession(id)).toBe(true);

    await stage.during(() => client.close());

    expect(registry.knowsSession(id)).toBe(false);
  });

  it('throws a RangeError that names the session if a fault is made for an unknown one', () => {
    expect(() => registry.expire('c0ffee')).toThrow(RangeError);
    expect(() => registry.expire('c0ffee')).toThrow('c0ffee');
  });

  it('leaves no node and no timer of clients that connect and close in a race', async () => {
    const observer = await stage.connected();
    for (let round = 0; round < 200; round += 1) {
      const client = registry.center(stage.options());
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
    'keeps views equal to the tree after random faults have been healed (seed %i)',
    async (seed) => {
      const chance = new VirtualClock({ seed });
      const oneOf = <T>(choices: readonly T[]): T => choices[Math.floor(chance.random() * choices.length)]!;
      const clients = [await stage.connected(), await stage.connected(), await stage.connected()];
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

describe('a server that does not serve', () => {
  it('applies no part of a transaction that a rule refuses, and names the refused operation', async () => {
    const client = await stage.connected();
    const end = registry.fail(({ kind }) => (kind === 'set' ? 'BAD_VERSION' : undefined));
    const operations = [
      { kind: 'create', path: '/a', data: '', mode: 'PERSISTENT' },
      { kind: 'set', path: '/', data: 'x' },
    ] as const;

    expect(await client.transaction(operations)).toMatchObject({ kind: 'refused', index: 1, refusal: 'BAD_VERSION' });
    expect(await client.exists('/a')).toBeUndefined();
    end();
    expect(await client.transaction(operations)).toMatchObject({ kind: 'committed' });
  });

  it('can return an error code for a write that it has applied', async () => {
    const client = await stage.connected();
    registry.fail(() => ({ code: -7, isApplied: true }));

    await expect(client.create('/a', '', 'PERSISTENT')).rejects.toMatchObject({ serverCode: -7, fate: 'unknown' });
    expect(await client.exists('/a')).toBeDefined();
  });

  it('returns the code of a rule to all requests of the named client, and to no other client', async () => {
    const [client, other] = [await stage.connected(), await stage.connected()];
    const view = await client.openSubtree('/', () => {});
    const end = registry.failRequests((sessionId) => (sessionId === idOf(client) ? -127 : undefined));

    const asked = [client.exists('/'), view.sync(), client.create('/a', '', 'PERSISTENT')];
    const refused = { status: 'rejected', reason: { serverCode: -127 } };
    expect(await Promise.allSettled(asked)).toMatchObject([refused, refused, refused]);
    expect(await other.children('/')).toEqual([]);
    end();
    await client.create('/a', '', 'PERSISTENT');
  });
});

describe('a client that closes', () => {
  it('emits no event for the end of its own ephemeral nodes', async () => {
    const client = await stage.connected();
    await client.create('/e', '', 'EPHEMERAL');
    const heard: string[] = [];
    await client.openSubtree('/', ({ kind }) => heard.push(kind));
    await client.close();
    expect(heard).toEqual([]);
  });

  it('ends at once and leaves no timer if it was cut off and is healed while it closes', async () => {
    const zombie = await stage.connected();
    const states = statesOf(zombie);
    registry.cutOff(idOf(zombie));
    const closing = zombie.close();
    registry.heal(idOf(zombie));
    await closing;
    await clock.advance(SESSION_TIMEOUT_MS);
    expect(states).toEqual(['undefined undefined']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps one listener on a long-lived signal for all its requests', async () => {
    const client = await stage.connected();
    const { signal } = new AbortController();
    await client.exists('/', { signal });
    await client.set('/none', '', 0, { signal }).catch(() => {});
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });
});

/** Creates, changes or deletes the node; any outcome of a fault is accepted. */
async function write(client: RegistryCenter, path: string, mode: 'EPHEMERAL' | 'PERSISTENT'): Promise<void> {
  await client
    .create(path, mode, mode)
    .catch(() => client.set(path, 'changed', 0))
    .catch(() => client.delete(path))
    .catch(() => {});
}
