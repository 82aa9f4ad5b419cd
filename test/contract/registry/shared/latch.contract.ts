import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../../libs/elastic-job/src/clock/index.js';
import {
  acquireLatch,
  guaranteedDelete,
  type HeldLatch,
  NotEmptyError,
  type RegistryCenter,
} from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { recordSession, useRegistry } from '../support.js';

const PATH = '/job/leader/failover/latch';
const clock = new SystemClock();

export function describeLatches(adapter: RegistryAdapter): void {
  describe('latches', () => {
    const { harness, one, two, several } = useRegistry(adapter);

    it('name the node as Curator does, and remove it with the release', async () => {
      const client = await one();
      const latch = await acquire(client, { data: 'me' });
      const [name] = await client.children(PATH);
      expect(name).toMatch(/^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-latch-\d{10}$/);
      expect(latch?.path).toBe(`${PATH}/${name}`);
      expect(await client.read(latch!.path)).toMatchObject({
        data: 'me',
        stat: { ephemeralOwner: client.session.id },
      });
      expect(latch?.signal.aborted).toBe(false);
      await latch?.release();
      expect(latch?.signal.aborted).toBe(true);
      expect(await client.children(PATH)).toEqual([]);
    });

    it('are held by one participant at a time, in the order of their numbers', async () => {
      const clients = await several(4);
      const held: string[] = [];
      let holders = 0;
      const take = async (client: RegistryCenter) => {
        const latch = await acquire(client);
        holders += 1;
        expect(holders).toBe(1);
        held.push(latch!.path.slice(-10));
        await client.exists('/');
        holders -= 1;
        await latch?.release();
      };
      await Promise.all(clients.map(take));
      expect(held).toHaveLength(4);
      expect(held).toEqual(held.toSorted());
    });

    it('are held by us once a participant of Curator before us leaves', async () => {
      const [curator, client] = await two();
      await curator.ensurePath(PATH);
      const theirs = await curator.create(`${PATH}/_c_ffffffff-latch-`, '', 'EPHEMERAL_SEQUENTIAL');
      const acquired = acquire(client);
      await untilChildren(curator, 2);
      await curator.delete(theirs);
      const latch = await acquired;
      expect(latch?.signal.aborted).toBe(false);
      await latch?.release();
    });

    it('give undefined and remove their node if the time is up', async () => {
      const [holder, waiter] = await two();
      const held = await acquire(holder);
      expect(await acquire(waiter, { timeoutMs: 1_000 })).toBeUndefined();
      await untilChildren(holder, 1);
      expect(held?.signal.aborted).toBe(false);
      await held?.release();
    });

    it('reject a waiter with the reason of its signal, and remove its node', async () => {
      const [holder, waiter] = await two();
      const held = await acquire(holder);
      const controller = new AbortController();
      const reason = new Error('given up');
      const acquired = acquire(waiter, { signal: controller.signal });
      await untilChildren(holder, 2);
      controller.abort(reason);
      await expect(acquired).rejects.toBe(reason);
      await untilChildren(holder, 1);
      await held?.release();
    });

    it('abort the signal of a holder whose session expires, and go to the next one', async () => {
      const [holder, waiter] = await two();
      const held = await acquire(holder);
      const acquired = acquire(waiter);
      await untilChildren(holder, 2);
      const reconnected = recordSession(holder).next('RECONNECTED');
      await harness().expire(holder);
      const next = await acquired;
      await reconnected;
      expect(held?.signal.aborted).toBe(true);
      expect(next?.signal.aborted).toBe(false);
      await held?.release();
      expect(await waiter.exists(next!.path)).toBeDefined();
      await next?.release();
    });

    it('abort the signal of a holder whose node is deleted', async () => {
      const [holder, operator] = await two();
      const held = await acquire(holder);
      const aborted = new Promise((resolve) => held?.signal.addEventListener('abort', resolve));
      await operator.delete(held!.path);
      await aborted;
      expect(await operator.children(PATH)).toEqual([]);
      await held?.release();
    });

    it('put a waiter in line again whose node is deleted', async () => {
      const [holder, waiter] = await two();
      const held = await acquire(holder);
      const acquired = acquire(waiter);
      const names = await untilChildren(holder, 2);
      const own = names.find((name) => !held!.path.endsWith(name));
      await holder.delete(`${PATH}/${own}`);
      await untilChildren(holder, 2);
      await held?.release();
      const latch = await acquired;
      expect(latch?.path.endsWith(own!)).toBe(false);
      await latch?.release();
    });
  });

  describe('guaranteed deletes', () => {
    const { harness, one } = useRegistry(adapter);

    it('delete the node in the end although the session is lost meanwhile', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      const reconnected = recordSession(client).next('RECONNECTED');
      const deletions: Promise<void>[] = [];
      client.onSession(({ state }) => {
        if (state === 'SUSPENDED') deletions.push(guaranteedDelete(client, clock, '/a'));
      });
      await harness().expire(client);
      await reconnected;
      await Promise.all(deletions);
      expect(deletions).toHaveLength(1);
      expect(await client.exists('/a')).toBeUndefined();
    });

    it('end for a node that is gone, a parent of others, or a closed client', async () => {
      const client = await one();
      await client.ensurePath('/a/b');
      await guaranteedDelete(client, clock, '/none');
      await expect(guaranteedDelete(client, clock, '/a')).rejects.toThrow(NotEmptyError);
      await client.close();
      await guaranteedDelete(client, clock, '/a/b');
    });
  });
}

function acquire(
  client: RegistryCenter,
  options: { readonly data?: string; readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<HeldLatch | undefined> {
  return acquireLatch(client, clock, PATH, { timeoutMs: 5_000, ...options });
}

/** Resolves to the names in the line once there are `count` of them. */
async function untilChildren(client: RegistryCenter, count: number): Promise<readonly string[]> {
  const watch: { look(): void } = { look() {} };
  const view = await client.openSubtree(PATH, () => watch.look(), { holds: () => false });
  await new Promise<void>((resolve) => {
    watch.look = () => {
      if (view.children(PATH).length === count) resolve();
    };
    watch.look();
  });
  const names = view.children(PATH);
  view.close();
  return names;
}
