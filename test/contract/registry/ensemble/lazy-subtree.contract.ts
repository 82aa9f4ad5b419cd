import { describe, expect, it } from 'vitest';
import {
  type RegistryCenter,
  SessionLostError,
  type Subtree,
} from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { costOf, creationOf, eventText, recordSession, useRegistry } from '../support.js';

const isConfig = (path: string) => path.endsWith('/config');

export function describeLazySubtrees(adapter: RegistryAdapter): void {
  describe('subtrees that hold some values', () => {
    const { harness, one, two } = useRegistry(adapter);

    it('have every node when they are opened, and only the held values', async () => {
      const [reader, writer] = await prepared(two);
      const { view } = await open(reader);
      expect(view.node('/job/config')).toEqual(await writer.read('/job/config'));
      expect(view.node('/job')).toBeUndefined();
      expect(view.node('/job/mark')).toBeUndefined();
      expect(['/job', '/job/config', '/job/mark', '/job/none'].map((path) => view.has(path))).toEqual([
        true,
        true,
        true,
        false,
      ]);
      expect(view.children('/job').toSorted()).toEqual(['config', 'mark']);
    });

    it('report marks that come, change and go without a read', async () => {
      const [reader, writer] = await prepared(two);
      const { view, events } = await open(reader);
      const { background } = reader.traffic;
      for (const item of [1, 2, 3]) {
        await writer.create(`/job/${item}`, 'x', 'EPHEMERAL');
        await writer.set(`/job/${item}`, 'y');
      }
      await writer.transaction([{ kind: 'delete', path: '/job/2' }, creationOf('/job/4')]);
      await view.sync();
      expect(view.children('/job').toSorted()).toEqual(['1', '3', '4', 'config', 'mark']);
      expect(events).toEqual([
        'created /job/1',
        'changed /job/1',
        'created /job/2',
        'changed /job/2',
        'created /job/3',
        'changed /job/3',
        'deleted /job/2',
        'created /job/4',
      ]);
      expect(view.node('/job/1')).toBeUndefined();
      expect(reader.traffic.background - background).toBe(0);
    });

    it('report held and other values in the order of the registry', async () => {
      const [reader, writer] = await prepared(two);
      const { view, events } = await open(reader);
      await Promise.all([
        writer.set('/job/config', 'a'),
        writer.set('/job/mark', 'b'),
        writer.create('/job/late', '', 'PERSISTENT'),
        writer.create('/job/late/config', 'c', 'PERSISTENT'),
        writer.create('/job/late/config/below', '', 'PERSISTENT'),
      ]);
      await view.sync();
      expect(events).toEqual([
        'changed /job/config',
        'changed /job/mark',
        'created /job/late',
        'created /job/late/config',
        'created /job/late/config/below',
      ]);
      expect(view.node('/job/late/config')?.data).toBe('c');
    });

    it('load values that are not held by one request, and show them until they change', async () => {
      const [reader, writer] = await prepared(two);
      const { view } = await open(reader);
      const all = ['/job', '/job/mark', '/job/config', '/job/none'];
      expect(await costOf(reader, () => view.load(all))).toBe(1);
      expect(view.node('/job/mark')).toEqual(await writer.read('/job/mark'));
      expect(view.node('/job')).toEqual(await writer.read('/job'));
      expect(view.node('/job/none')).toBeUndefined();
      expect(await costOf(reader, () => view.load(all))).toBe(0);

      await writer.set('/job/mark', 'changed');
      await view.sync();
      expect(view.node('/job/mark')).toBeUndefined();
      expect(view.node('/job')).toBeDefined();
      expect(await costOf(reader, () => view.load(all))).toBe(1);
      expect(view.node('/job/mark')?.data).toBe('changed');
    });

    it('do not show a loaded value for a node that has replaced its node', async () => {
      const [reader, writer] = await prepared(two);
      const { view } = await open(reader);
      await view.load(['/job/mark']);
      await writer.transaction([{ kind: 'renew', path: '/job/mark', data: '', mode: 'PERSISTENT' }]);
      await view.sync();
      expect(view.has('/job/mark')).toBe(true);
      expect(view.node('/job/mark')).toBeUndefined();
    });

    it("show the client's own writes without a read", async () => {
      const client = await one();
      await client.ensurePath('/job/config');
      await client.ensurePath('/job/mark');
      const { view, events } = await open(client);
      const { background } = client.traffic;
      const first = await client.set('/job/config', 'one');
      expect(view.node('/job/config')).toEqual({ path: '/job/config', data: 'one', stat: first });
      const result = await client.transaction([
        { kind: 'set', path: '/job/config', data: 'two' },
        { kind: 'lead', path: '/job/mark', data: 'three', version: 0 },
      ]);
      const stats = result.kind === 'committed' ? result.results.map((each) => each.kind === 'set' && each.stat) : [];
      expect(view.node('/job/config')).toEqual({ path: '/job/config', data: 'two', stat: stats[0] });
      expect(view.node('/job/mark')).toEqual({ path: '/job/mark', data: 'three', stat: stats[1] });
      expect(client.traffic.background - background).toBe(0);
      expect(await client.readMany(['/job/config', '/job/mark'])).toEqual([
        view.node('/job/config'),
        view.node('/job/mark'),
      ]);
      expect(events.at(-1)).toBe('changed /job/mark');
    });

    it('know the value of a node that the client has created, without a read', async () => {
      const client = await one();
      await client.ensurePath('/job');
      const { view } = await open(client);
      await client.create('/job/config', 'own', 'EPHEMERAL');
      const cost = await costOf(client, () => view.load(['/job/config']));
      expect(cost).toBe(0);
      expect(view.node('/job/config')).toEqual(await client.read('/job/config'));
    });

    it('show what is there after a sync, even if two writers write one node', async () => {
      const [reader, writer] = await prepared(two);
      const { view } = await open(reader);
      for (let round = 0; round < 50; round += 1) {
        const paths = ['/job/config', '/job/mark'];
        await Promise.all([
          ...paths.map((path) => reader.set(path, `own ${round}`)),
          ...paths.map((path) => writer.set(path, `other ${round}`)),
          reader.set('/job/config', `late ${round}`, -2).catch(() => {}),
        ]);
        await view.sync();
        await view.load(paths);
        expect(paths.map((path) => view.node(path))).toEqual(await writer.readMany(paths));
      }
    });

    it("show the other's value after a write that was refused for it", async () => {
      const [reader, writer] = await prepared(two);
      const { view } = await open(reader);
      for (let round = 0; round < 20; round += 1) {
        const before = view.node('/job/config')!.stat.version;
        const [, refused] = await Promise.all([
          writer.set('/job/config', `${round}`),
          Promise.allSettled([
            reader.set('/job/config', 'never', before + 7),
            reader.create('/job/config', '', 'EPHEMERAL'),
          ]),
        ]);
        await view.sync();
        expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
        expect(view.node('/job/config')).toMatchObject({ data: `${round}`, stat: { version: before + 1 } });
      }
    });

    it('load nothing at no cost, and heed an aborted signal', async () => {
      const client = await one();
      const { view } = await open(client);
      const reason = new Error('given up');
      expect(await costOf(client, () => view.load(['/job', '/job/none']))).toBe(0);
      await expect(view.load(['/job'], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });

    it('throw SessionLostError after a lost session', async () => {
      const client = await one();
      const { view } = await open(client);
      const reconnected = recordSession(client).next('RECONNECTED');
      await harness().expire(client);
      await reconnected;
      expect(() => view.has('/job')).toThrow(SessionLostError);
      await expect(view.load(['/job'])).rejects.toThrow(SessionLostError);
    });
  });
}

async function prepared(
  two: () => Promise<[RegistryCenter, RegistryCenter]>,
): Promise<[RegistryCenter, RegistryCenter]> {
  const [reader, writer] = await two();
  await writer.create('/job', 'root', 'PERSISTENT');
  await writer.create('/job/config', 'held', 'PERSISTENT');
  await writer.create('/job/mark', 'not held', 'PERSISTENT');
  return [reader, writer];
}

async function open(client: RegistryCenter): Promise<{ view: Subtree; events: string[] }> {
  const events: string[] = [];
  const view = await client.openSubtree('/job', (event) => events.push(eventText(event)), { holds: isConfig });
  return { view, events };
}
