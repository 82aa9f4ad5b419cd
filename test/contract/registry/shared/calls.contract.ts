import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../../libs/elastic-job/src/domain/index.js';
import type { RegistryAdapter } from '../harness.js';
import { costOf, useRegistry } from '../support.js';

export function describeCalls(adapter: RegistryAdapter): void {
  describe('nodes', () => {
    const { one, two } = useRegistry(adapter);

    it('are created up to a path, and keep what exists of it', async () => {
      const client = await one();
      await client.create('/a', 'kept', 'PERSISTENT');
      await client.ensurePath('/a/b/c');
      await client.ensurePath('/a/b/c');
      expect(await client.read('/a')).toMatchObject({ data: 'kept', stat: { version: 0 } });
      expect(await client.read('/a/b/c')).toMatchObject({ data: '', stat: { version: 0, ephemeralOwner: undefined } });
    });

    it('are ensured for both of two clients at once', async () => {
      const [a, b] = await two();
      await Promise.all([a.ensurePath('/x/y/z'), b.ensurePath('/x/y/z')]);
      expect(await a.exists('/x/y/z')).toBeDefined();
    });

    it.each(['', 'a', '/a/', '/a//b', '/a/./b', '/a/../b', '/a\u0001'])(
      'with the illegal path %j are refused by ConfigurationError, and nothing is sent',
      async (path) => {
        const client = await one();
        const cost = await costOf(client, async () => {
          await expect(client.read(path)).rejects.toThrow(ConfigurationError);
          await expect(client.childrenMany(['/', path])).rejects.toThrow(ConfigurationError);
          await expect(client.create(path, '', 'PERSISTENT')).rejects.toThrow(JSON.stringify(path));
          await expect(client.ensurePath(path)).rejects.toThrow(ConfigurationError);
          await expect(client.transaction([{ kind: 'delete', path }])).rejects.toThrow(ConfigurationError);
        });
        expect(cost).toBe(0);
      },
    );

    it('cost one foreground request for any single call', async () => {
      const client = await one();
      const costs = [
        await costOf(client, () => client.create('/a', '', 'PERSISTENT')),
        await costOf(client, () => client.read('/a')),
        await costOf(client, () => client.exists('/a')),
        await costOf(client, () => client.children('/')),
        await costOf(client, () => client.childrenMany(['/', '/a'])),
        await costOf(client, () => client.set('/a', 'x')),
        await costOf(client, () => client.transaction([{ kind: 'check', path: '/a' }])),
        await costOf(client, () => client.delete('/a')),
      ];
      expect(costs).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    });
  });

  describe('signals, closing and time', () => {
    const { harness } = useRegistry(adapter);

    it.each(['/', '/a/b'])('create the namespace again that somebody has deleted, with the path %s', async (path) => {
      const name = `${harness().newNamespace()}/below`;
      const client = harness().center({ namespace: name });
      await client.connect();
      await client.delete('/');
      const outer = harness().center({ namespace: name.slice(0, -'/below'.length) });
      await outer.connect();
      await outer.delete('/');

      await client.ensurePath(path);

      expect(await client.exists(path)).toBeDefined();
      expect(await outer.children('/')).toEqual(['below']);
      await Promise.all([client.close(), outer.close()]);
    });
  });
}
