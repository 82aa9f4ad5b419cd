import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../../libs/elastic-job/src/clock/index.js';
import { ConfigurationError } from '../../../../libs/elastic-job/src/domain/index.js';
import {
  type Operation,
  type RegistryCenter,
  RequestTooLargeError,
  type TransactionResult,
} from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { costOf, creationOf, rejections, useRegistry } from '../support.js';

const clock = new SystemClock();
/** Two of these texts are more than one shared request takes. */
const LARGE = 'x'.repeat(40_000);
const ROUNDS = 200;

/** Sends each of the transactions in this turn. */
function share(client: RegistryCenter, ...transactions: readonly (readonly Operation[])[]) {
  return transactions.map((operations, index) => client.transaction(operations, { dueAt: index }));
}

export function describeSharedRequests(adapter: RegistryAdapter): void {
  describe('shared requests', () => {
    const { one, two } = useRegistry(adapter);

    it('take the transactions of one turn together', async () => {
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

    it('take the transactions of a later turn separately', async () => {
      const client = await one();
      const cost = await costOf(client, async () => {
        const [first] = share(client, [creationOf('/a')]);
        await clock.nextTurn();
        await clock.nextTurn();
        await Promise.all([first, ...share(client, [creationOf('/b')])]);
      });
      expect(cost).toBe(2);
    });

    it('refuse an illegal path for its own transaction alone', async () => {
      const client = await one();
      const answers = await Promise.allSettled(share(client, [creationOf('/a')], [creationOf('/b//c')]));
      expect(answers).toMatchObject([
        { status: 'fulfilled', value: { kind: 'committed' } },
        { status: 'rejected', reason: expect.any(ConfigurationError) },
      ]);
    });

    it('begin with the transaction that is due first', async () => {
      const client = await one();
      const [child, parent] = [
        client.transaction([creationOf('/parent/child')], { dueAt: 2 }),
        client.transaction([creationOf('/parent')], { dueAt: 1 }),
      ];
      expect([(await child).kind, (await parent).kind]).toEqual(['committed', 'committed']);
    });

    it('leave before any request that is made after them', async () => {
      const client = await one();
      const view = await client.openSubtree('/', () => {});
      const asked = share(client, [creationOf('/a')]);
      const [, found] = await Promise.all([view.sync(), client.read('/a')]);
      expect(found?.path).toBe('/a');
      expect(view.has('/a')).toBe(true);
      await Promise.all(asked);
    });

    it('are shown in a view that is synced afterwards', async () => {
      const client = await one();
      const view = await client.openSubtree('/', () => {});
      const synced = Promise.all([view.sync(), ...share(client, [creationOf('/a')])]);
      await view.sync();
      expect(view.has('/a')).toBe(true);
      await synced;
    });

    it('commit the others if one transaction is refused', async () => {
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

    it('give each refused transaction its own refusal', async () => {
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

    it('send nothing of a transaction whose signal has aborted', async () => {
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

    it('go on if one signal aborts while they are under way', async () => {
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

    it('are over before work that may come after them goes on', async () => {
      const client = await one();
      const order: string[] = [];
      const urgent = share(client, [creationOf('/a')]).map((answer) => answer.then(() => order.push('urgent')));
      const later = client.calm().then(() => order.push('later'));
      await Promise.all([...urgent, later]);
      expect(order).toEqual(['urgent', 'later']);
    });

    it('are not the only work for which other work waits', async () => {
      const client = await one();
      const order: string[] = [];
      const end = client.beginUrgent();
      const later = client.calm().then(() => order.push('later'));
      await Promise.all(share(client, [creationOf('/a')]));
      order.push('urgent');
      end();
      await later;
      expect(order).toEqual(['urgent', 'later']);
    });

    it('are several if there is more than 64 KB', async () => {
      const client = await one();
      const create = (path: string) => [{ kind: 'create', path, data: LARGE, mode: 'PERSISTENT' }] as const;
      const cost = await costOf(client, () => Promise.all(share(client, create('/a'), create('/b'), create('/c'))));
      expect(cost).toBe(3);
    });

    it('refuse a transaction that is too large alone', async () => {
      const client = await one();
      const tooLarge: Operation = { kind: 'create', path: '/a', data: 'x'.repeat(1_000_001), mode: 'PERSISTENT' };
      const answers = await Promise.allSettled(share(client, [tooLarge], [creationOf('/b')]));
      expect(rejections(answers)).toEqual([expect.any(RequestTooLargeError)]);
      expect(await client.exists('/b')).toBeDefined();
    });

    it('sync all views of one turn by one request, which shows what others have written', async () => {
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

    it('do not use a sync that has left already', async () => {
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

    it('sync the other views if the signal of one aborts', async () => {
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

  describe('the sync barrier', () => {
    const { two } = useRegistry(adapter);

    it('shows what was committed before a moment, by one request for all views that ask as of then', async () => {
      const [reader, writer] = await two();
      const paths = ['/job', '/other'];
      await Promise.all(paths.map((path) => writer.create(path, '', 'PERSISTENT')));
      const views = await Promise.all(paths.map((path) => reader.openSubtree(path, () => {})));
      for (let round = 0; round < ROUNDS; round += 1) {
        const stats = await Promise.all(paths.map((path) => writer.set(path, `${round}`)));
        const asOf = performance.now();
        const { foreground } = reader.traffic;
        for (const view of views) await view.sync({ asOf });
        expect(views.map((view, n) => view.node(paths[n]!)?.stat)).toEqual(stats);
        expect(reader.traffic.foreground - foreground).toBe(1);
      }
    });
  });
}
