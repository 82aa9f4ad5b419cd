import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import {
  type Operation,
  type RegistryCenter,
  RequestTooLargeError,
  type TransactionResult,
} from '../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from './harness.js';
import { costOf, creationOf, rejections, useRegistry } from './support.js';

const clock = new SystemClock();
/** Two of them are more than one shared request takes. */
const LARGE = 'x'.repeat(40_000);

/** Asks for each of the transactions, in this turn. */
function share(client: RegistryCenter, ...transactions: readonly (readonly Operation[])[]) {
  return transactions.map((operations, index) => client.transaction(operations, { dueAt: index }));
}

export function describeSharedRequests(adapter: RegistryAdapter): void {
  describe('shared requests', () => {
    const { one, two } = useRegistry(adapter);

    it('given shared transactions of one turn, when they leave, then it is in one request', async () => {
      const client = await one();
      let results: TransactionResult[] = [];
      const cost = await costOf(client, async () => {
        results = await Promise.all(share(client, [creationOf('/a'), creationOf('/a/b')], [creationOf('/c')]));
      });
      expect(cost).toBe(1);
      expect(results).toEqual([
        {
          kind: 'committed',
          results: [
            { kind: 'create', path: '/a' },
            { kind: 'create', path: '/a/b' },
          ],
        },
        { kind: 'committed', results: [{ kind: 'create', path: '/c' }] },
      ]);
    });

    it('given a later turn, when another one comes, then it leaves in a request of its own', async () => {
      const client = await one();
      const cost = await costOf(client, async () => {
        const [first] = share(client, [creationOf('/a')]);
        await clock.nextTurn();
        await clock.nextTurn();
        await Promise.all([first, ...share(client, [creationOf('/b')])]);
      });
      expect(cost).toBe(2);
    });

    it('given different instants, when they leave, then what is due first goes first', async () => {
      const client = await one();
      const [child, parent] = [
        client.transaction([creationOf('/parent/child')], { dueAt: 2 }),
        client.transaction([creationOf('/parent')], { dueAt: 1 }),
      ];
      expect([(await child).kind, (await parent).kind]).toEqual(['committed', 'committed']);
    });

    it('given a shared transaction that waits, when something else is asked for, then that comes after it', async () => {
      const client = await one();
      const view = await client.openSubtree('/', () => {});
      const asked = share(client, [creationOf('/a')]);
      const [, found] = await Promise.all([view.sync(), client.read('/a')]);
      expect(found?.path).toBe('/a');
      expect(view.has('/a')).toBe(true);
      await Promise.all(asked);
    });

    it('given a view that is synced, when a shared transaction was asked for before, then it is shown', async () => {
      const client = await one();
      const view = await client.openSubtree('/', () => {});
      const synced = Promise.all([view.sync(), ...share(client, [creationOf('/a')])]);
      await view.sync();
      expect(view.has('/a')).toBe(true);
      await synced;
    });

    it('given a transaction that is refused, when others share its request, then they are committed', async () => {
      const client = await one();
      const cost = await costOf(client, async () => {
        const [first, refused, last] = await Promise.all(
          share(client, [creationOf('/a')], [creationOf('/b'), creationOf('/none/c')], [creationOf('/d')]),
        );
        expect([first!.kind, last!.kind]).toEqual(['committed', 'committed']);
        expect(refused).toEqual({ kind: 'refused', index: 1, path: '/none/c', refusal: 'NO_NODE' });
      });
      expect(cost).toBe(4);
      expect(await client.exists('/b')).toBeUndefined();
    });

    it('given several that are refused, when they share a request, then each hears its own refusal', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      const results = await Promise.all(
        share(client, [creationOf('/a')], [{ kind: 'set', path: '/a', data: '', version: 7 }], [creationOf('/b')]),
      );
      expect(results).toEqual([
        { kind: 'refused', index: 0, path: '/a', refusal: 'NODE_EXISTS' },
        { kind: 'refused', index: 0, path: '/a', refusal: 'BAD_VERSION' },
        { kind: 'committed', results: [{ kind: 'create', path: '/b' }] },
      ]);
    });

    it('given an aborted signal, when the others leave, then nothing is sent of its transaction', async () => {
      const client = await one();
      const reason = new Error('given up');
      const controller = new AbortController();
      const withdrawn = client.transaction([creationOf('/a')], { dueAt: 0, signal: controller.signal });
      const others = share(client, [creationOf('/b')], [creationOf('/c')]);
      controller.abort(reason);
      await expect(withdrawn).rejects.toBe(reason);
      for (const other of others) expect((await other).kind).toBe('committed');
      expect(await client.exists('/a')).toBeUndefined();
    });

    it('given a shared request under way, when one signal aborts, then the request goes on', async () => {
      const client = await one();
      const controller = new AbortController();
      const withdrawn = client.transaction([creationOf('/a')], { dueAt: 0, signal: controller.signal });
      const answers = Promise.allSettled([withdrawn, ...share(client, [creationOf('/b')])]);
      const sent = client.traffic.foreground;
      await clock.nextTurn();
      expect(client.traffic.foreground).toBe(sent + 1);
      controller.abort(new Error('given up'));
      expect((await answers)[1]).toMatchObject({ status: 'fulfilled', value: { kind: 'committed' } });
      expect(await client.exists('/a')).toBeDefined();
    });

    it('given more than 64 KB, when it leaves, then it takes several requests', async () => {
      const client = await one();
      const create = (path: string) => [{ kind: 'create', path, data: LARGE, mode: 'PERSISTENT' }] as const;
      const cost = await costOf(client, () => Promise.all(share(client, create('/a'), create('/b'), create('/c'))));
      expect(cost).toBe(3);
    });

    it('given one that is too large to be sent, when others are shared, then it alone is refused', async () => {
      const client = await one();
      const tooLarge: Operation = { kind: 'create', path: '/a', data: 'x'.repeat(1_000_001), mode: 'PERSISTENT' };
      const answers = await Promise.allSettled(share(client, [tooLarge], [creationOf('/b')]));
      expect(rejections(answers)).toEqual([expect.any(RequestTooLargeError)]);
      expect(await client.exists('/b')).toBeDefined();
    });

    it('given views that are synced in one turn, when others have written, then one request shows it all', async () => {
      const [client, other] = await two();
      const views = await Promise.all(['/a', '/b'].map((path) => client.openSubtree(path, () => {})));
      await other.create('/a', 'by the other', 'PERSISTENT');
      await other.create('/b', 'by the other', 'PERSISTENT');
      const cost = await costOf(client, () => Promise.all(views.map((view) => view.sync())));
      expect(cost).toBe(1);
      expect(views.map((view) => view.node(view.has('/a') ? '/a' : '/b')?.data)).toEqual([
        'by the other',
        'by the other',
      ]);
    });

    it('given a sync that has left, when another one is asked for, then it does not share the first', async () => {
      const [client, other] = await two();
      const view = await client.openSubtree('/a', () => {});
      const cost = await costOf(client, async () => {
        const first = view.sync();
        await clock.nextTurn();
        await clock.nextTurn();
        await other.create('/a', '', 'PERSISTENT');
        await view.sync();
        expect(view.has('/a')).toBe(true);
        await first;
      });
      expect(cost).toBe(2);
    });

    it('given views that share a sync, when one signal aborts, then the other is synced', async () => {
      const client = await one();
      const reason = new Error('given up');
      const controller = new AbortController();
      const views = await Promise.all(['/a', '/b'].map((path) => client.openSubtree(path, () => {})));
      const withdrawn = views[0]!.sync({ signal: controller.signal });
      const synced = views[1]!.sync();
      controller.abort(reason);
      await expect(withdrawn).rejects.toBe(reason);
      await synced;
    });
  });
}
