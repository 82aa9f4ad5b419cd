import { describe, expect, it } from 'vitest';
import type { RegistryCenter, Subtree } from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { costOf, creationOf, eventText, useRegistry } from '../support.js';

export function describeSubtrees(adapter: RegistryAdapter): void {
  describe('subtrees', () => {
    const { one, two } = useRegistry(adapter);

    it('are complete when they are opened, and hold nothing from outside', async () => {
      const client = await one();
      await client.ensurePath('/job/sharding/0');
      await client.ensurePath('/job2/other');
      await client.set('/job/sharding', 'data');
      const view = await client.openSubtree('/job', () => {});
      expect(view.node('/job')).toEqual(await client.read('/job'));
      expect(view.node('/job/sharding')).toEqual(await client.read('/job/sharding'));
      expect(view.node('/job/sharding/0')).toEqual(await client.read('/job/sharding/0'));
      expect(view.children('/job')).toEqual(['sharding']);
      expect(view.children('/job/sharding/0')).toEqual([]);
      expect(view.node('/job2')).toBeUndefined();
      expect(view.children('/job2')).toEqual([]);
      expect(view.node('/')).toBeUndefined();
      expect(view.children('/')).toEqual([]);
    });

    it('leave a list of names as it is that they have given, and give another one after a change', async () => {
      const [reader, writer] = await two();
      for (const name of ['a', 'b']) await writer.ensurePath(`/job/${name}`);
      const { view } = await open(reader, '/job');
      const before = view.children('/job');

      await writer.ensurePath('/job/c');
      await view.sync();
      const between = view.children('/job');
      await writer.delete('/job/a');
      await view.sync();

      expect(view.children('/job').toSorted()).toEqual(['b', 'c']);
      expect([before, between].map((names) => names.toSorted())).toEqual([
        ['a', 'b'],
        ['a', 'b', 'c'],
      ]);
    });

    it('are empty until their path exists', async () => {
      const [reader, writer] = await two();
      const { view, events } = await open(reader, '/job/deep');
      expect(view.node('/job/deep')).toBeUndefined();
      expect(view.children('/job/deep')).toEqual([]);
      await writer.ensurePath('/job/deep/er');
      await view.sync();
      expect(view.node('/job/deep')).toBeDefined();
      expect(view.children('/job/deep')).toEqual(['er']);
      expect(events).toEqual(['created /job/deep', 'created /job/deep/er']);
    });

    it('go on if their root is deleted and created again', async () => {
      const [reader, writer] = await two();
      await writer.create('/job', 'old', 'PERSISTENT');
      const { view, events } = await open(reader, '/job');
      await writer.delete('/job');
      await view.sync();
      expect(view.node('/job')).toBeUndefined();
      await writer.ensurePath('/job/x');
      await view.sync();
      expect(view.children('/job')).toEqual(['x']);
      expect(events).toEqual(['deleted /job', 'created /job', 'created /job/x']);
    });

    it('hold what their bounds admit, and the beginning of a long value', async () => {
      const [reader, writer] = await two();
      for (const name of ['a', 'b', 'unknown']) await writer.ensurePath(`/job/${name}/below`);
      await writer.create('/job/a/long', 'x'.repeat(1_000), 'PERSISTENT');
      const leftOut: string[] = [];
      const events: string[] = [];
      const bounds = {
        admits: (path: string) => !path.includes('unknown'),
        isLeaf: () => false,
        longest: () => 10,
        mostChildren: 3,
        onLeftOut: (path: string, what: string) => void leftOut.push(`${what} of ${path}`),
      };
      const view = await reader.openSubtree('/job', (event) => events.push(eventText(event)), { bounds });
      expect(view.children('/job').toSorted()).toEqual(['a', 'b']);
      expect(view.has('/job/unknown/below')).toBe(false);
      expect(view.node('/job/a/long')?.data).toBe('x'.repeat(11));

      await writer.create('/job/unknown/new', '', 'PERSISTENT');
      for (const name of ['c', 'd']) await writer.ensurePath(`/job/${name}`);
      await writer.set('/job/d', 'changed');
      await writer.create('/job/d/below', '', 'PERSISTENT');
      await view.sync();

      expect(view.children('/job').toSorted()).toEqual(['a', 'b', 'c']);
      expect(events).toEqual(['created /job/c']);
      expect(leftOut).toEqual(['value of /job/a/long', 'children of /job']);
      await writer.delete('/job/c');
      await writer.delete('/job/d/below');
      await writer.delete('/job/d');
      await writer.create('/job/e', 'y', 'PERSISTENT');
      await view.sync();
      expect(view.node('/job/e')?.data).toBe('y');
    });

    it('show everything of a whole namespace from the root down', async () => {
      const [reader, writer] = await two();
      const view = await reader.openSubtree('/', () => {});
      await writer.ensurePath('/a/b');
      await view.sync();
      expect(view.node('/')).toBeDefined();
      expect(view.children('/')).toEqual(['a']);
      expect(view.children('/a')).toEqual(['b']);
    });

    it('report exactly the changes, one after another', async () => {
      const [reader, writer] = await two();
      await writer.create('/job', '', 'PERSISTENT');
      const { view, events } = await open(reader, '/job');
      const steps = [
        () => writer.create('/job/a', '', 'PERSISTENT'),
        () => writer.set('/job/a', 'x'),
        () => writer.create('/job/a/b', '', 'EPHEMERAL'),
        () => writer.set('/job', 'y'),
        () => writer.create('/jobs', '', 'PERSISTENT'),
        () => writer.delete('/job/a/b'),
        () => writer.delete('/job/a'),
      ];
      for (const step of steps) {
        await step();
        await view.sync();
      }
      expect(events).toEqual([
        'created /job/a',
        'changed /job/a',
        'created /job/a/b',
        'changed /job',
        'deleted /job/a/b',
        'deleted /job/a',
      ]);
    });

    it('report no child created before its parent, or deleted after it', async () => {
      const [reader, writer] = await two();
      const { view, events } = await open(reader, '/job');
      await Promise.all([
        writer.create('/job', '', 'PERSISTENT'),
        writer.create('/job/a', '', 'PERSISTENT'),
        writer.create('/job/a/b', '', 'PERSISTENT'),
        writer.create('/job/c', '', 'PERSISTENT'),
      ]);
      await view.sync();
      expect(events.filter((event) => event !== 'created /job/c')).toEqual([
        'created /job',
        'created /job/a',
        'created /job/a/b',
      ]);
      expect(events).toContain('created /job/c');
      events.length = 0;
      await Promise.all([writer.delete('/job/a/b'), writer.delete('/job/a')]);
      await view.sync();
      expect(events).toEqual(['deleted /job/a/b', 'deleted /job/a']);
    });

    it('show a change already when a listener is called', async () => {
      const [reader, writer] = await two();
      const seen: unknown[] = [];
      const view: Subtree = await reader.openSubtree('/job', (event) => {
        if (event.kind !== 'reset') seen.push([event.kind, view.node(event.path)?.data, view.children('/job').length]);
      });
      const steps = [
        () => writer.create('/job', 'root', 'PERSISTENT'),
        () => writer.create('/job/a', 'one', 'PERSISTENT'),
        () => writer.set('/job/a', 'two'),
        () => writer.delete('/job/a'),
      ];
      for (const step of steps) {
        await step();
        await view.sync();
      }
      expect(seen).toEqual([
        ['created', 'root', 0],
        ['created', 'one', 1],
        ['changed', 'two', 1],
        ['deleted', undefined, 0],
      ]);
    });

    it('report the new czxid of a node that is deleted and created again between two reads', async () => {
      const [reader, writer] = await two();
      await writer.create('/job', 'same', 'PERSISTENT');
      const { view, events } = await open(reader, '/job');
      const before = view.node('/job');
      await writer.transaction([{ kind: 'renew', path: '/job', data: 'same', mode: 'PERSISTENT' }]);
      await view.sync();
      const after = view.node('/job');
      expect(after).toMatchObject({ data: 'same', stat: { version: before?.stat.version } });
      expect(after!.stat.czxid).toBeGreaterThan(before!.stat.czxid);
      expect(after).toEqual(await writer.read('/job'));
      expect(events).toEqual(['deleted /job', 'created /job']);
    });

    it('lose the ephemeral nodes of an owner that leaves', async () => {
      const [reader, writer] = await two();
      await writer.ensurePath('/job');
      await writer.create('/job/e', '', 'EPHEMERAL');
      const { view, events } = await open(reader, '/job');
      await writer.close();
      await view.sync();
      expect(view.children('/job')).toEqual([]);
      expect(events).toEqual(['deleted /job/e']);
    });

    it("show the client's own write after a sync", async () => {
      const client = await one();
      const { view, events } = await open(client, '/job');
      await client.ensurePath('/job/a');
      await view.sync();
      expect(view.children('/job')).toEqual(['a']);
      expect(events).toEqual(['created /job', 'created /job/a']);
    });

    it('of one client report their own part each', async () => {
      const [reader, writer] = await two();
      const a = await open(reader, '/a');
      const b = await open(reader, '/b');
      await writer.create('/a', '', 'PERSISTENT');
      await writer.create('/b', '', 'PERSISTENT');
      await Promise.all([a.view.sync(), b.view.sync()]);
      expect(a.events).toEqual(['created /a']);
      expect(b.events).toEqual(['created /b']);
    });

    it('report nothing once they are closed, while others on the same path do', async () => {
      const [reader, writer] = await two();
      const closed = await open(reader, '/job');
      const kept = await open(reader, '/job');
      closed.view.close();
      closed.view.close();
      await writer.create('/job', '', 'PERSISTENT');
      await kept.view.sync();
      expect(closed.events).toEqual([]);
      expect(kept.events).toEqual(['created /job']);
    });

    it('do not call a listener again that has closed them', async () => {
      const [reader, writer] = await two();
      const events: string[] = [];
      const view: Subtree = await reader.openSubtree('/job', (event) => {
        events.push(eventText(event));
        view.close();
      });
      const other = await reader.openSubtree('/job', () => {});
      await writer.transaction([creationOf('/job'), creationOf('/job/a')]);
      await other.sync();
      expect(other.children('/job')).toEqual(['a']);
      expect(events).toEqual(['created /job']);
    });

    it('cost one foreground request for each sync', async () => {
      const [reader, writer] = await two();
      const view = await reader.openSubtree('/job', () => {});
      await writer.ensurePath('/job/a/b/c');
      expect(await costOf(reader, () => view.sync())).toBe(1);
      expect(await costOf(reader, () => view.sync())).toBe(1);
    });
  });
}

async function open(client: RegistryCenter, path: string): Promise<{ view: Subtree; events: string[] }> {
  const events: string[] = [];
  const view = await client.openSubtree(path, (event) => events.push(eventText(event)));
  return { view, events };
}
