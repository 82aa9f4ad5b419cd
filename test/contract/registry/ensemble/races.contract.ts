import { describe, expect, it } from 'vitest';
import {
  BadVersionError,
  NodeExistsError,
  type RegistryCenter,
  type Subtree,
} from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { rejections, useRegistry } from '../support.js';

export function describeRaces(adapter: RegistryAdapter): void {
  describe('many clients', () => {
    const { several, two } = useRegistry(adapter);

    it('create one node once, and the others get NodeExistsError', async () => {
      const clients = await several(8);
      const created = await Promise.allSettled(
        clients.map((client, number) => client.create('/lock', `${number}`, 'EPHEMERAL')),
      );
      const winner = created.findIndex(({ status }) => status === 'fulfilled');
      const losers = rejections(created);
      expect(losers).toHaveLength(7);
      expect(losers.every((error) => error instanceof NodeExistsError)).toBe(true);
      expect((await clients[0].read('/lock'))?.stat.ephemeralOwner).toBe(clients[winner]?.session.id);
    });

    it('claim one entry by a transaction once, and the others are refused', async () => {
      const clients = await several(8);
      await clients[0].create('/entry', '', 'PERSISTENT');
      const claims = await Promise.all(
        clients.map((client) =>
          client.transaction([
            { kind: 'delete', path: '/entry' },
            { kind: 'create', path: '/mark', data: client.session.id!, mode: 'PERSISTENT' },
          ]),
        ),
      );
      const refused = { kind: 'refused', index: 0, path: '/entry', refusal: 'NO_NODE' };
      expect(claims.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
      expect(claims.filter(({ kind }) => kind === 'refused')).toEqual(Array.from({ length: 7 }, () => refused));
      const winner = clients[claims.findIndex(({ kind }) => kind === 'committed')];
      expect((await clients[0].read('/mark'))?.data).toBe(winner?.session.id);
    });

    it('lose no addition by compare-and-set', async () => {
      const clients = await several(4);
      await clients[0].create('/counter', '0', 'PERSISTENT');
      await Promise.all(clients.map((client) => addOne(client, 25)));
      expect(await clients[0].read('/counter')).toMatchObject({ data: '100', stat: { version: 100 } });
    });

    it('hear every change of a node in its order while they create and delete it at once', async () => {
      const clients = await several(4);
      await clients[0].create('/job', '', 'PERSISTENT');
      const views = await Promise.all(clients.map(follow));
      const changes = await Promise.all(clients.map((client) => change(client, 100)));
      const total = changes.reduce((sum, count) => sum + count, 0);
      const isThere = (await clients[0].exists('/job/node')) !== undefined;
      const heard = Array.from({ length: total }, (_, n) => (n % 2 === 0 ? 'created' : 'deleted'));
      for (const one of views) {
        await one.view.sync();
        expect(one.view.has('/job/node')).toBe(isThere);
        expect(one.heard).toEqual(heard);
      }
    });

    it('report each node that comes while a view is being opened, unless the opened view has its value', async () => {
      const [writer, reader] = await two();
      for (let round = 0; round < 20; round += 1) {
        const job = `/job-${round}`;
        await writer.create(job, '', 'PERSISTENT');
        const paths = Array.from({ length: 40 }, (_, n) => `${job}/${n}`);
        const reported = new Set<string>();
        const opening = reader.openSubtree(job, (event) => void (event.kind !== 'reset' && reported.add(event.path)));
        const coming = Promise.all(paths.map((path) => writer.create(path, 'value', 'PERSISTENT')));
        const view = await opening;
        const missing = paths.filter((path) => view.node(path) === undefined);
        await coming;
        await view.sync();
        expect(paths.map((path) => view.node(path)?.data)).toEqual(paths.map(() => 'value'));
        expect(missing.filter((path) => !reported.has(path))).toEqual([]);
        view.close();
      }
    });
  });
}

/** A client's view of a job's names, and what it has heard of the node. */
async function follow(client: RegistryCenter): Promise<{ readonly view: Subtree; readonly heard: string[] }> {
  const heard: string[] = [];
  const view = await client.openSubtree('/job', ({ kind }) => void heard.push(kind), { holds: () => false });
  return { view, heard };
}

/** Creates and deletes the node many times, now and then in a transaction that is refused. @returns how often it did */
async function change(client: RegistryCenter, times: number): Promise<number> {
  const creation = { kind: 'create', path: '/job/node', data: '', mode: 'PERSISTENT' } as const;
  const deletion = { kind: 'delete', path: '/job/node' } as const;
  const impossible = { kind: 'check', path: '/job', version: 7 } as const;
  let done = 0;
  for (let n = 0; n < times; n += 1) {
    const results = await Promise.all([
      client.transaction([creation, impossible]),
      client.transaction([n % 2 === 0 ? creation : deletion]),
      client.transaction([deletion, impossible]),
    ]);
    done += results.filter(({ kind }) => kind === 'committed').length;
  }
  return done;
}

async function addOne(client: RegistryCenter, times: number): Promise<void> {
  for (let added = 0; added < times;) {
    const node = (await client.read('/counter'))!;
    try {
      await client.set('/counter', `${Number(node.data) + 1}`, node.stat.version);
      added += 1;
    } catch (error) {
      if (!(error instanceof BadVersionError)) throw error;
    }
  }
}
