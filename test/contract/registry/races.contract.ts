import { describe, expect, it } from 'vitest';
import { BadVersionError, NodeExistsError, type RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from './harness.js';
import { rejections, useRegistry } from './support.js';

export function describeRaces(adapter: RegistryAdapter): void {
  describe('many clients', () => {
    const { several } = useRegistry(adapter);

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
  });
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
