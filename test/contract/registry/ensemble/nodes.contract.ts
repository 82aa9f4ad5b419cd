import { describe, expect, it } from 'vitest';
import {
  BadVersionError,
  NodeExistsError,
  NoNodeError,
  NotEmptyError,
} from '../../../../libs/elastic-job/src/registry/index.js';
import { ConfigurationError } from '../../../../libs/elastic-job/src/domain/index.js';
import type { RegistryAdapter } from '../harness.js';
import { costOf, creationOf, useRegistry } from '../support.js';

const NUMBERS = Array.from({ length: 250 }, (_, n) => n);

export function describeNodes(adapter: RegistryAdapter): void {
  describe('nodes', () => {
    const { one } = useRegistry(adapter);

    it('show their data and a first stat once they are created', async () => {
      const client = await one();
      const path = await client.create('/a', 'data', 'PERSISTENT');
      const node = await client.read('/a');
      expect(path).toBe('/a');
      expect(node).toMatchObject({ path: '/a', data: 'data', stat: { version: 0, ephemeralOwner: undefined } });
      expect(node?.stat.mzxid).toBe(node?.stat.czxid);
      expect(node?.stat.mtime).toBe(node?.stat.ctime);
      expect(await client.exists('/a')).toEqual(node?.stat);
    });

    it.each(['', 'plain', 'Grüße, 世界 🌍', 'line\nline\u0000'])('keep the text %j as it was written', async (text) => {
      const client = await one();
      await client.create('/created', text, 'PERSISTENT');
      await client.create('/set', 'other', 'PERSISTENT');
      await client.set('/set', text);
      expect((await client.read('/created'))?.data).toBe(text);
      expect((await client.read('/set'))?.data).toBe(text);
    });

    it('are undefined if they do not exist, and their children are an error', async () => {
      const client = await one();
      expect(await client.read('/none')).toBeUndefined();
      expect(await client.exists('/none')).toBeUndefined();
      await expect(client.children('/none')).rejects.toThrow(NoNodeError);
    });

    it('include the root, which exists and is empty', async () => {
      const client = await one();
      expect(await client.exists('/')).toMatchObject({ version: 0 });
      expect(await client.children('/')).toEqual([]);
    });

    it('list the names of direct children only', async () => {
      const client = await one();
      await client.ensurePath('/a/b/c');
      await client.create('/a/d', '', 'PERSISTENT');
      expect((await client.children('/a')).toSorted()).toEqual(['b', 'd']);
      expect(await client.children('/a/b/c')).toEqual([]);
    });

    it('refuse a second creation with NodeExistsError, which names the path', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      const again = client.create('/a', 'other', 'PERSISTENT');
      await expect(again).rejects.toThrow(NodeExistsError);
      await expect(again).rejects.toMatchObject({ code: 'NODE_EXISTS', path: '/a' });
    });

    it('refuse a creation without a parent with NoNodeError, which names the path', async () => {
      const client = await one();
      const orphan = client.create('/none/a', '', 'PERSISTENT');
      await expect(orphan).rejects.toThrow(NoNodeError);
      await expect(orphan).rejects.toMatchObject({ code: 'NO_NODE', path: '/none/a' });
    });

    it('count their versions, and mzxid grows past czxid', async () => {
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

    it('are not written if version 0 is expected and it has passed', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      await client.set('/a', 'first', 0);
      const set = client.set('/a', 'late', 0);
      await expect(set).rejects.toThrow(BadVersionError);
      await expect(set).rejects.toMatchObject({ code: 'BAD_VERSION', path: '/a', version: 0 });
      await expect(client.delete('/a', 0)).rejects.toThrow(BadVersionError);
      expect(await client.read('/a')).toMatchObject({ data: 'first', stat: { version: 1 } });
    });

    it('are deleted if the expected version is right', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      await client.delete('/a', 0);
      expect(await client.exists('/a')).toBeUndefined();
    });

    it('refuse to be set or deleted with NoNodeError if they do not exist', async () => {
      const client = await one();
      await expect(client.set('/none', '')).rejects.toThrow(NoNodeError);
      await expect(client.delete('/none')).rejects.toThrow(NoNodeError);
    });

    it('refuse to be deleted with NotEmptyError if they have a child', async () => {
      const client = await one();
      await client.ensurePath('/a/b');
      const deleted = client.delete('/a');
      await expect(deleted).rejects.toThrow(NotEmptyError);
      await expect(deleted).rejects.toMatchObject({ code: 'NOT_EMPTY', path: '/a' });
    });

    it('start at version 0 with a greater czxid when they are created again', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      const before = await client.set('/a', 'x');
      await client.delete('/a');
      await client.create('/a', '', 'PERSISTENT');
      const after = await client.exists('/a');
      expect(after?.version).toBe(0);
      expect(after?.czxid).toBeGreaterThan(before.mzxid);
    });

    it('are read several at once in their order, gaps included, for one request', async () => {
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

    it('list the children of several at once in their order, gaps included, for one request', async () => {
      const client = await one();
      await client.ensurePath('/a/b/c');
      await client.create('/a/d', '', 'EPHEMERAL');
      const paths = ['/a/b/c', '/none', '/a', '/a/b', '/a/none/e', '/', '/a'];
      let lists: readonly (readonly string[] | undefined)[] = [];
      expect(await costOf(client, async () => (lists = await client.childrenMany(paths)))).toBe(1);
      const [both, root] = [['b', 'd'], ['a']];
      expect(lists.map((names) => names?.toSorted())).toEqual([[], undefined, both, ['c'], undefined, root, both]);
      expect(await client.childrenMany([])).toEqual([]);
      await expect(client.childrenMany(['/a', 'b'])).rejects.toThrow(ConfigurationError);
    });

    it('list the children of more than fit one request in their order, the large among the small', async () => {
      const client = await one();
      await client.transaction(['/a', '/b', ...NUMBERS.map((n) => `/a/${n}`)].map(creationOf));
      const paths = NUMBERS.flatMap((n) => [`/a/${n}`, '/a', `/b/${n}`, '/b']);
      const lists = await client.childrenMany(paths);
      expect(lists.map((names) => names?.length)).toEqual(NUMBERS.flatMap(() => [0, NUMBERS.length, undefined, 0]));
    });

    it('may be containers, which are persistent parents like any other', async () => {
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
  });
}
