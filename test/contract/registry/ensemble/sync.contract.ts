import { describe, expect, it } from 'vitest';
import type { RegistryCenter, RegistryNode, Subtree } from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { eventText, useRegistry } from '../support.js';

const ROUNDS = 200;

export function describeSync(adapter: RegistryAdapter): void {
  describe('the sync barrier', () => {
    const { two, several } = useRegistry(adapter);

    it(`shows another client's write, in each of ${ROUNDS} rounds`, async () => {
      const [reader, writer] = await two();
      await writer.create('/job', '', 'PERSISTENT');
      const view = await reader.openSubtree('/job', () => {});
      for (let round = 0; round < ROUNDS; round += 1) {
        const stat = await writer.set('/job', `${round}`);
        await view.sync();
        expect(view.node('/job')).toEqual({ path: '/job', data: `${round}`, stat });
      }
    });

    it(`shows all or nothing of a branch that transactions create and delete, in ${ROUNDS} rounds`, async () => {
      const [reader, writer] = await two();
      await writer.create('/job', '', 'PERSISTENT');
      const view = await reader.openSubtree('/job', () => {});
      const paths = ['/job/a', '/job/a/b', '/job/a/b/c'];
      for (let round = 0; round < ROUNDS / 2; round += 1) {
        await writer.transaction(paths.map((path) => ({ kind: 'create', path, data: `${round}`, mode: 'PERSISTENT' })));
        await view.sync();
        expect(paths.map((path) => view.node(path)?.data)).toEqual(paths.map(() => `${round}`));
        await writer.transaction(paths.toReversed().map((path) => ({ kind: 'delete', path })));
        await view.sync();
        expect(paths.map((path) => view.node(path))).toEqual(paths.map(() => undefined));
        expect(view.children('/job')).toEqual([]);
      }
    });

    it(`is never behind a writer that does not wait for the reader, in ${ROUNDS} rounds`, async () => {
      const [reader, writer] = await two();
      await writer.create('/job', '-1', 'PERSISTENT');
      const view = await reader.openSubtree('/job', () => {});
      let written = -1;
      const write = async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          await writer.set('/job', `${round}`);
          written = round;
        }
      };
      const looks: { readonly before: number; readonly seen: number }[] = [];
      const look = async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const before = written;
          await view.sync();
          looks.push({ before, seen: Number(view.node('/job')?.data) });
        }
      };
      await Promise.all([write(), look()]);
      expect(looks.filter(({ before, seen }) => seen < before)).toEqual([]);
    });

    it('shows the tree as it is although four clients make and remove marks at once', async () => {
      const [reader, ...writers] = await several(5);
      await reader.create('/job', '', 'PERSISTENT');
      const events: string[] = [];
      const view = await reader.openSubtree('/job', (event) => events.push(eventText(event)));
      await Promise.all(writers.map((writer, number) => churn(writer, `/job/${number}`)));
      await view.sync();
      expect(allBelow(view, '/job')).toEqual(await readAllBelow(reader, '/job'));
      const kinds = events.filter((event) => event.endsWith(' /job/0/mark')).map((event) => event.split(' ')[0]);
      expect(kinds.filter((kind, index) => kind !== 'changed' && kind === kinds[index - 1])).toEqual([]);
    });
  });
}

async function churn(client: RegistryCenter, path: string): Promise<void> {
  await client.create(path, '', 'PERSISTENT');
  for (let round = 0; round < 25; round += 1) {
    await client.create(`${path}/mark`, `${round}`, 'EPHEMERAL');
    await client.set(path, `${round}`);
    if (round % 3 !== 0) await client.delete(`${path}/mark`);
    else
      await client.transaction([
        { kind: 'delete', path: `${path}/mark` },
        { kind: 'set', path, data: 'both' },
      ]);
  }
  await client.create(`${path}/left`, 'over', 'EPHEMERAL');
}

function allBelow(view: Subtree, path: string): readonly RegistryNode[] {
  const names = view.children(path).toSorted();
  return [view.node(path)!, ...names.flatMap((name) => allBelow(view, `${path}/${name}`))];
}

async function readAllBelow(client: RegistryCenter, path: string): Promise<readonly RegistryNode[]> {
  const names = (await client.children(path)).toSorted();
  const below = await Promise.all(names.map((name) => readAllBelow(client, `${path}/${name}`)));
  return [(await client.read(path))!, ...below.flat()];
}
