import { describe, expect, it } from 'vitest';
import type { RegistryCenter, WatchOptions } from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { costOf, recordSession, useRegistry } from '../support.js';

export function describeChildrenWatches(adapter: RegistryAdapter): void {
  describe('watches of the names of children', () => {
    const { harness, one, two } = useRegistry(adapter);

    it.each(['/', '/job'])('report added and removed children of %s, but not deeper nodes or data', async (path) => {
      const [reader, writer] = await two();
      await writer.ensurePath(path);
      const below = path === '/' ? '' : path;
      const { heard, until } = await watching(reader, path);

      await writer.create(`${below}/a`, '', 'PERSISTENT');
      await until(1);
      expect(await reader.children(path)).toEqual(['a']);
      await writer.ensurePath(`${below}/a/b/c`);
      await writer.set(`${below}/a`, 'data');
      if (path !== '/') await writer.set(path, 'data');
      await reader.exists(path);
      expect(heard()).toBe(1);
      await writer.delete(`${below}/a/b/c`);
      await writer.delete(`${below}/a/b`);
      await writer.delete(`${below}/a`);
      await until(2);
      expect(await reader.children(path)).toEqual([]);
      await reader.exists(path);
      expect(heard()).toBe(2);
    });

    it.each(['/', '/job'])('that are deep tell the path of each node below %s that changes', async (path) => {
      const [reader, writer] = await two();
      await writer.ensurePath(path);
      const below = path === '/' ? '' : path;
      await writer.ensurePath(`${below}/a/b`);
      await writer.ensurePath('/elsewhere');
      const { heard, paths, until } = await watching(reader, path, { isDeep: true });

      await writer.set(`${below}/a/b`, 'data');
      await writer.create(`${below}/a/b/c`, '', 'PERSISTENT');
      await writer.delete(`${below}/a/b/c`);
      await writer.create(`${below}/d`, '', 'EPHEMERAL');
      if (path !== '/') await writer.set('/elsewhere', 'data');
      await until(4);
      await reader.exists(path);

      expect(heard()).toBe(4);
      expect(paths()).toEqual([`${below}/a/b`, `${below}/a/b/c`, `${below}/a/b/c`, `${below}/d`]);
    });

    it('that are deep tell what this client writes itself, beside a view of a part', async () => {
      const client = await one();
      await client.ensurePath('/job/a');
      const { paths, until } = await watching(client, '/', { isDeep: true });
      const view = await client.openSubtree('/job', () => {});

      await client.set('/job/a', 'data');
      await client.create('/other', '', 'PERSISTENT');
      await until(2);
      expect(paths()).toEqual(['/job/a', '/other']);

      view.close();
      await client.set('/job/a', 'more');
      await until(3);
      expect(paths().at(-1)).toBe('/job/a');
    });

    it('report a node that does not exist yet when it comes, has children and goes', async () => {
      const [reader, writer] = await two();
      const { heard, until } = await watching(reader, '/job');

      await writer.create('/job', '', 'PERSISTENT');
      await until(1);
      const before = heard();
      await writer.create('/job/a', '', 'PERSISTENT');
      await until(before + 1);
      expect(await reader.children('/job')).toEqual(['a']);
    });

    it('go on if another watch of the path is closed', async () => {
      const [reader, writer] = await two();
      await writer.ensurePath('/job');
      const [first, second] = [await watching(reader, '/job'), await watching(reader, '/job')];
      const view = await reader.openSubtree('/job', () => {});

      first.watch.close();
      first.watch.close();
      await writer.ensurePath('/job/a/b');
      await second.until(1);
      await view.sync();
      expect([first.heard(), view.has('/job/a/b')]).toEqual([0, true]);
      view.close();
      const before = second.heard();
      await writer.create('/job/c', '', 'PERSISTENT');
      await second.until(before + 1);
      second.watch.close();
      const last = second.heard();
      await writer.create('/job/d', '', 'PERSISTENT');
      await reader.exists('/job');
      expect(second.heard()).toBe(last);
    });

    it.each(adapter.lacks?.includes('cuts') ? [] : ['/'])(
      'of %s that are deep may miss news in a reconnect',
      async (path) => {
        const [reader, writer] = await two();
        await writer.ensurePath('/job/a');
        const { paths, until } = await watching(reader, path, { isDeep: true });

        await harness().cut(reader);
        await until(1);
        expect(paths()).toEqual([undefined]);
        await reader.exists('/job');
        await writer.set('/job/a', 'data');
        await until(2);
        expect(paths().at(-1)).toBe('/job/a');
      },
    );

    const reconnects = [
      ['/', '/job'],
      ['/job', '/job'],
      ['/job', '/other'],
    ] as const;
    it.each(adapter.lacks?.includes('cuts') ? [] : reconnects)(
      'of %s and a view of %s go on over reconnects',
      async (path, viewed) => {
        const [reader, writer] = await two();
        for (const at of [path, viewed]) await writer.ensurePath(at);
        const { heard, until } = await watching(reader, path);
        const view = await reader.openSubtree(viewed, () => {});

        for (const name of ['a', 'b']) {
          const before = heard();
          await harness().cut(reader);
          await until(before + 1);
          await view.sync();
          await reader.exists(path);
          const since = heard();
          await writer.create(`${path === '/' ? '' : path}/${name}`, '', 'PERSISTENT');
          await until(since + 1);
          expect(await reader.children(path)).toContain(name);
          await writer.create(`${viewed}/below-${name}`, '', 'PERSISTENT');
          await view.sync();
          expect(view.has(`${viewed}/below-${name}`)).toBe(true);
        }
        view.close();
      },
    );

    it('cost no request while the client writes or is idle', async () => {
      const client = await one();
      expect(await costOf(client, () => watching(client, '/'))).toBeLessThanOrEqual(1);
      const { background } = client.traffic;
      expect(await costOf(client, () => client.create('/a', '', 'PERSISTENT'))).toBe(1);
      expect(client.traffic.background).toBe(background);
    });

    it('are silent once their session has ended', async () => {
      const [reader, writer] = await two();
      const { heard, watch } = await watching(reader, '/');
      const reconnected = recordSession(reader).next('RECONNECTED');

      await harness().expire(reader);
      await reconnected;
      const before = heard();
      await writer.create('/a', '', 'PERSISTENT');
      await reader.exists('/a');
      expect(heard()).toBe(before);
      watch.close();
    });
  });
}

async function watching(client: RegistryCenter, path: string, options?: WatchOptions) {
  const state = { heard: 0, wake: () => {} };
  const paths: (string | undefined)[] = [];
  const onChange = (changed: string | undefined) => {
    state.heard += 1;
    paths.push(changed);
    state.wake();
  };
  const watch = await client.watchChildren(path, onChange, options);
  return {
    watch,
    heard: () => state.heard,
    paths: () => paths,
    /** Resolves after `count` changes. */
    until: async (count: number): Promise<void> => {
      while (state.heard < count) await new Promise<void>((resolve) => (state.wake = resolve));
    },
  };
}
