import { describe, expect, it } from 'vitest';
import type { RegistryAdapter } from '../harness.js';
import { useRegistry } from '../support.js';

export function describeSequentialNodes(adapter: RegistryAdapter): void {
  describe('sequential nodes', () => {
    const { one, several } = useRegistry(adapter);

    it('count up in ten digits, and their paths are returned', async () => {
      const client = await one();
      await client.create('/q', '', 'PERSISTENT');
      const first = await client.create('/q/n-', 'x', 'PERSISTENT_SEQUENTIAL');
      const second = await client.create('/q/n-', 'y', 'EPHEMERAL_SEQUENTIAL');
      expect([first, second]).toEqual(['/q/n-0000000000', '/q/n-0000000001']);
      expect((await client.children('/q')).toSorted()).toEqual(['n-0000000000', 'n-0000000001']);
      expect((await client.read(first))?.stat.ephemeralOwner).toBeUndefined();
      expect((await client.read(second))?.stat.ephemeralOwner).toBe(client.session.id);
    });

    it('count all creations, of other and of deleted children as well', async () => {
      const client = await one();
      await client.ensurePath('/q/plain');
      await client.delete(await client.create('/q/n-', '', 'PERSISTENT_SEQUENTIAL'));
      expect(await client.create('/q/m-', '', 'PERSISTENT_SEQUENTIAL')).toBe('/q/m-0000000002');
    });

    it('begin to count anew if the parent is deleted and created again', async () => {
      const client = await one();
      await client.create('/q', '', 'PERSISTENT');
      await client.delete(await client.create('/q/n-', '', 'PERSISTENT_SEQUENTIAL'));
      const refused = await client.transaction([
        { kind: 'delete', path: '/q' },
        { kind: 'check', path: '/none' },
      ]);
      expect(refused.kind).toBe('refused');
      expect(await client.create('/q/n-', '', 'EPHEMERAL_SEQUENTIAL')).toBe('/q/n-0000000001');
      await client.delete('/q/n-0000000001');
      await client.delete('/q');
      await client.create('/q', '', 'PERSISTENT');
      expect(await client.create('/q/n-', '', 'PERSISTENT_SEQUENTIAL')).toBe('/q/n-0000000000');
    });

    it('are named in order by the results of a transaction', async () => {
      const client = await one();
      await client.create('/q', '', 'PERSISTENT');
      const create = { kind: 'create', path: '/q/n-', data: '', mode: 'PERSISTENT_SEQUENTIAL' } as const;
      expect(await client.transaction([create, create])).toEqual({
        kind: 'committed',
        results: [
          { kind: 'create', path: '/q/n-0000000000' },
          { kind: 'create', path: '/q/n-0000000001' },
        ],
      });
    });

    it('of five clients at once get fifty numbers without a gap', async () => {
      const clients = await several(5);
      await clients[0].create('/q', '', 'PERSISTENT');
      const created = await Promise.all(
        clients.flatMap((client) =>
          Array.from({ length: 10 }, () => client.create('/q/n-', '', 'EPHEMERAL_SEQUENTIAL')),
        ),
      );
      const expected = Array.from({ length: 50 }, (_, number) => `/q/n-${String(number).padStart(10, '0')}`);
      expect(created.toSorted()).toEqual(expected);
    });
  });
}
