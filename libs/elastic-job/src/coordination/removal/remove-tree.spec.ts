import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { beforeEach, expect, it, vi } from 'vitest';
import { createdRoot, removedRoot } from '../../domain/index.js';
import type { MemoryRegistryCenter } from '../../registry/index.js';
import { JobPaths } from '../job-tree/index.js';
import { childrenFirst, removeAbandoned, removeTree } from './remove-tree.js';

const JOB = 'report';
const { root, instances } = new JobPaths(JOB);
const MOST_AT_ONCE = 2_000;
const MANY = 5_000;
/** Nodes that the tests create with one request. */
const PIECE = 2_000;

let stage: MemoryStage;
let registry: MemoryRegistryCenter;
beforeEach(async () => {
  stage = new MemoryStage();
  registry = await stage.connected({ maxRequestBytes: 100_000_000 });
});

async function write(paths: readonly string[], data = ''): Promise<void> {
  for (let from = 0; from < paths.length; from += PIECE) {
    const some = paths.slice(from, from + PIECE);
    const creations = some.map((path) => ({ kind: 'create', path, data, mode: 'PERSISTENT' }) as const);
    await stage.during(() => registry.transaction(creations));
  }
}

const names = () => stage.during(() => registry.children('/'));

it('removes a job of any number of nodes in pieces, its root last', async () => {
  await write([root, instances, `${root}/servers`]);
  await write(Array.from({ length: MANY }, (_, n) => `${root}/servers/${n}`));
  const transaction = vi.spyOn(registry, 'transaction');

  await stage.during(() => removeTree(registry, JOB));

  const batches = transaction.mock.calls.map(([operations]) => operations.map(({ path }) => path));
  expect(batches.map(({ length }) => length)).toEqual([MOST_AT_ONCE, MOST_AT_ONCE, MANY + 3 - 2 * MOST_AT_ONCE]);
  expect([batches[0]![0], batches[2]!.at(-1)]).toEqual([instances, root]);
  expect(await names()).toEqual([]);
});

it('reads a small job with one view, and asks no node for its children', async () => {
  const openSubtree = vi.spyOn(registry, 'openSubtree');
  await write([root, `${root}/servers`, ...Array.from({ length: 100 }, (_, n) => `${root}/servers/${n}`)]);
  const children = vi.spyOn(registry, 'children');

  await stage.during(() => removeTree(registry, JOB));

  expect(openSubtree.mock.calls.map(([path]) => path)).toEqual([root]);
  expect(children).not.toHaveBeenCalled();
  expect(await names()).toEqual([]);
});

it.each([
  ['many children', Array.from({ length: 501 }, (_, n) => `${root}/${n}`)],
  ['many nodes below its children', Array.from({ length: 600 }, (_, n) => `${root}/${n % 2}/${n}`)],
  ['a long chain', Array.from({ length: 600 }, (_, n) => `${root}/0${'/x'.repeat(n + 1)}`)],
])('holds no view of more than 500 nodes of a job, here of %s', async (_kind, paths) => {
  await write([root, ...(paths[0]!.split('/').length > 3 ? [`${root}/0`, `${root}/1`] : []), ...paths]);
  const opened = vi.spyOn(registry, 'openSubtree');

  await stage.during(() => removeTree(registry, JOB));

  expect(opened.mock.calls[0]![2]!.bounds!.admits(root)).toBe(false);
  expect(await names()).toEqual([]);
});

it('asks for the children of no more than 200 nodes at the same time', async () => {
  await write([root, ...Array.from({ length: MANY }, (_, n) => `${root}/${n}`)]);
  const [children, asked] = [registry.children.bind(registry), { now: 0, most: 0 }];
  vi.spyOn(registry, 'children').mockImplementation((...given) => {
    asked.most = Math.max(asked.most, (asked.now += 1));
    return children(...given).finally(() => (asked.now -= 1));
  });

  await stage.during(() => removeTree(registry, JOB));

  expect(asked).toEqual({ now: 0, most: 200 });
});

it('leaves a job that is marked for removal while an instance is in it', async () => {
  await write([root], removedRoot(JOB));
  await write([instances, `${instances}/one`]);

  expect(await stage.during(() => removeAbandoned(registry, JOB))).toBe(false);
  await stage.during(() => registry.delete(`${instances}/one`));
  expect(await stage.during(() => removeAbandoned(registry, JOB))).toBe(true);
  expect(await names()).toEqual([]);
});

it('leaves a job marked for removal that an instance joins while its nodes are read', async () => {
  await write([root], removedRoot(JOB));
  await write([instances, `${root}/sessions`]);
  const other = await stage.connected();
  const openSubtree = registry.openSubtree.bind(registry);
  vi.spyOn(registry, 'openSubtree').mockImplementationOnce(async (...given) => {
    await other.create(`${instances}/one`, '', 'EPHEMERAL');
    return openSubtree(...given);
  });

  expect(await stage.during(() => removeAbandoned(registry, JOB))).toBe(false);
  expect(await stage.during(() => registry.children(instances))).toEqual(['one']);
});

it('leaves a job that was created anew after the mark of the former one was read', async () => {
  await write([root], createdRoot(JOB));
  await stage.during(() => registry.set(root, removedRoot(JOB)));
  const other = await stage.connected();
  const read = registry.read.bind(registry);
  vi.spyOn(registry, 'read').mockImplementationOnce(async (...given) => {
    const marked = await read(...given);
    await other.delete(root);
    await other.create(root, createdRoot(JOB), 'PERSISTENT');
    return marked;
  });

  expect(await stage.during(() => removeAbandoned(registry, JOB))).toBe(true);
  expect(await names()).toEqual([JOB]);
});

const DEEP = 20_000;
const DEEPEST = '/a'.repeat(DEEP);

/** A registry with a chain of nodes, each the only child of the one above. */
const chain = { children: async (path: string) => (path === DEEPEST ? [] : ['a']) };

it('walks a chain of 20,000 nodes, the deepest first', async () => {
  const lengths: number[] = [];
  for await (const paths of childrenFirst(chain, '/a')) for (const path of paths) lengths.push(path.length);

  expect(lengths.map((length) => length / '/a'.length)).toEqual(Array.from({ length: DEEP }, (_, n) => DEEP - n));
});
