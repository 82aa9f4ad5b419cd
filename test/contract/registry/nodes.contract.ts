import { describe, expect, it } from 'vitest';
import {
  BadVersionError,
  NodeExistsError,
  NoNodeError,
  NotEmptyError,
} from '../../../libs/elastic-job/src/registry/index.js';
import { ConfigurationError } from '../../../libs/elastic-job/src/domain/index.js';
import type { RegistryAdapter } from './harness.js';
import { costOf, useRegistry } from './support.js';

export function describeNodes(adapter: RegistryAdapter): void {
  describe('nodes', () => {
    const { one, two } = useRegistry(adapter);

    it('given a created node, when it is read, then its data and a first stat are seen', async () => {
      const client = await one();
      const path = await client.create('/a', 'data', 'PERSISTENT');
      const node = await client.read('/a');
      expect(path).toBe('/a');
      expect(node).toMatchObject({ path: '/a', data: 'data', stat: { version: 0, ephemeralOwner: undefined } });
      expect(node?.stat.mzxid).toBe(node?.stat.czxid);
      expect(node?.stat.mtime).toBe(node?.stat.ctime);
      expect(await client.exists('/a')).toEqual(node?.stat);
    });

    it.each(['', 'plain', 'Grüße, 世界 🌍', 'line\nline\u0000'])(
      'given the text %j, when it is written, then the same text is read',
      async (text) => {
        const client = await one();
        await client.create('/created', text, 'PERSISTENT');
        await client.create('/set', 'other', 'PERSISTENT');
        await client.set('/set', text);
        expect((await client.read('/created'))?.data).toBe(text);
        expect((await client.read('/set'))?.data).toBe(text);
      },
    );

    it('given no node, when asked for it, then absence is a value, and an error for children', async () => {
      const client = await one();
      expect(await client.read('/none')).toBeUndefined();
      expect(await client.exists('/none')).toBeUndefined();
      await expect(client.children('/none')).rejects.toThrow(NoNodeError);
    });

    it('given a connected client, when it looks at its root, then that exists and is empty', async () => {
      const client = await one();
      expect(await client.exists('/')).toMatchObject({ version: 0 });
      expect(await client.children('/')).toEqual([]);
    });

    it('given nested nodes, when children are asked for, then the names of the direct ones come', async () => {
      const client = await one();
      await client.ensurePath('/a/b/c');
      await client.create('/a/d', '', 'PERSISTENT');
      expect((await client.children('/a')).toSorted()).toEqual(['b', 'd']);
      expect(await client.children('/a/b/c')).toEqual([]);
    });

    it('given a node, when it is created again, then NodeExistsError names the path', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      const again = client.create('/a', 'other', 'PERSISTENT');
      await expect(again).rejects.toThrow(NodeExistsError);
      await expect(again).rejects.toMatchObject({ code: 'NODE_EXISTS', path: '/a' });
    });

    it('given no parent, when a node is created, then NoNodeError names the path', async () => {
      const client = await one();
      const orphan = client.create('/none/a', '', 'PERSISTENT');
      await expect(orphan).rejects.toThrow(NoNodeError);
      await expect(orphan).rejects.toMatchObject({ code: 'NO_NODE', path: '/none/a' });
    });

    it('given a node, when it is set twice, then the version counts and mzxid grows past czxid', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      const first = await client.set('/a', 'one');
      const second = await client.set('/a', 'two');
      expect([first.version, second.version]).toEqual([1, 2]);
      expect(first.mzxid).toBeGreaterThan(first.czxid);
      expect(second.mzxid).toBeGreaterThan(first.mzxid);
      expect(second.czxid).toBe(first.czxid);
      expect(second.mtime).toBeGreaterThanOrEqual(second.ctime);
      expect(await client.read('/a')).toEqual({ path: '/a', data: 'two', stat: second });
    });

    it('given a node that is no longer at version 0, when version 0 is expected, then nothing is written', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      await client.set('/a', 'first', 0);
      const set = client.set('/a', 'late', 0);
      await expect(set).rejects.toThrow(BadVersionError);
      await expect(set).rejects.toMatchObject({ code: 'BAD_VERSION', path: '/a', version: 0 });
      await expect(client.delete('/a', 0)).rejects.toThrow(BadVersionError);
      expect(await client.read('/a')).toMatchObject({ data: 'first', stat: { version: 1 } });
    });

    it('given a node at version 0, when it is deleted at version 0, then it is gone', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      await client.delete('/a', 0);
      expect(await client.exists('/a')).toBeUndefined();
    });

    it('given no node, when it is set or deleted, then NoNodeError tells so', async () => {
      const client = await one();
      await expect(client.set('/none', '')).rejects.toThrow(NoNodeError);
      await expect(client.delete('/none')).rejects.toThrow(NoNodeError);
    });

    it('given a node with a child, when it is deleted, then NotEmptyError names it', async () => {
      const client = await one();
      await client.ensurePath('/a/b');
      const deleted = client.delete('/a');
      await expect(deleted).rejects.toThrow(NotEmptyError);
      await expect(deleted).rejects.toMatchObject({ code: 'NOT_EMPTY', path: '/a' });
    });

    it('given a deleted node, when it is created again, then it starts at version 0 with a greater czxid', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      const before = await client.set('/a', 'x');
      await client.delete('/a');
      await client.create('/a', '', 'PERSISTENT');
      const after = await client.exists('/a');
      expect(after?.version).toBe(0);
      expect(after?.czxid).toBeGreaterThan(before.mzxid);
    });

    it('given a part of a path, when the path is ensured, then the rest is created and the part is left as it is', async () => {
      const client = await one();
      await client.create('/a', 'kept', 'PERSISTENT');
      await client.ensurePath('/a/b/c');
      await client.ensurePath('/a/b/c');
      expect(await client.read('/a')).toMatchObject({ data: 'kept', stat: { version: 0 } });
      expect(await client.read('/a/b/c')).toMatchObject({ data: '', stat: { version: 0, ephemeralOwner: undefined } });
    });

    it('given several paths, when they are read at once, then nodes and gaps come in their order, for one request', async () => {
      const client = await one();
      await client.ensurePath('/a/b');
      await client.set('/a', 'data');
      const paths = ['/a/b', '/none', '/a', '/', '/a/b'];
      let nodes: unknown;
      expect(await costOf(client, async () => (nodes = await client.readMany(paths)))).toBe(1);
      expect(nodes).toEqual(await Promise.all(paths.map((path) => client.read(path))));
      expect(await client.readMany([])).toEqual([]);
      await expect(client.readMany(['/a', 'b'])).rejects.toThrow(ConfigurationError);
    });

    it('given a container, when it is used, then it is a persistent parent like any other', async () => {
      const client = await one();
      expect(await client.create('/c', 'data', 'CONTAINER')).toBe('/c');
      await client.create('/c/child', '', 'EPHEMERAL');
      expect(await client.read('/c')).toMatchObject({ data: 'data', stat: { version: 0, ephemeralOwner: undefined } });
      const committed = await client.transaction([
        { kind: 'create', path: '/d', data: '', mode: 'CONTAINER' },
        { kind: 'create', path: '/d/child', data: '', mode: 'PERSISTENT' },
      ]);
      expect(committed).toMatchObject({ kind: 'committed', results: [{ path: '/d' }, { path: '/d/child' }] });
      expect((await client.exists('/d'))?.ephemeralOwner).toBeUndefined();
    });

    it('given two clients, when both ensure one path at once, then both succeed', async () => {
      const [a, b] = await two();
      await Promise.all([a.ensurePath('/x/y/z'), b.ensurePath('/x/y/z')]);
      expect(await a.exists('/x/y/z')).toBeDefined();
    });

    it.each(['', 'a', '/a/', '/a//b', '/a/./b', '/a/../b', '/a\u0001'])(
      'given the illegal path %j, when it is used, then ConfigurationError echoes it and nothing is sent',
      async (path) => {
        const client = await one();
        const cost = await costOf(client, async () => {
          await expect(client.read(path)).rejects.toThrow(ConfigurationError);
          await expect(client.create(path, '', 'PERSISTENT')).rejects.toThrow(JSON.stringify(path));
          await expect(client.ensurePath(path)).rejects.toThrow(ConfigurationError);
          await expect(client.transaction([{ kind: 'delete', path }])).rejects.toThrow(ConfigurationError);
        });
        expect(cost).toBe(0);
      },
    );

    it('given any single call, when it is made, then it costs one foreground request', async () => {
      const client = await one();
      const costs = [
        await costOf(client, () => client.create('/a', '', 'PERSISTENT')),
        await costOf(client, () => client.read('/a')),
        await costOf(client, () => client.exists('/a')),
        await costOf(client, () => client.children('/')),
        await costOf(client, () => client.set('/a', 'x')),
        await costOf(client, () => client.transaction([{ kind: 'check', path: '/a' }])),
        await costOf(client, () => client.delete('/a')),
      ];
      expect(costs).toEqual([1, 1, 1, 1, 1, 1, 1]);
    });
  });
}
