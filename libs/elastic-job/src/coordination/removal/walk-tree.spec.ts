import { expect, it } from 'vitest';
import { childrenFirst } from './walk-tree.js';

const DEEP = 20_000;
const DEEPEST = '/a'.repeat(DEEP);

/** A registry with a chain of nodes, each the only child of the one above. */
const chain = { children: async (path: string) => (path === DEEPEST ? [] : ['a']) };

it('walks a chain of 20,000 nodes, the deepest first', async () => {
  const lengths: number[] = [];
  for await (const paths of childrenFirst(chain, '/a')) for (const path of paths) lengths.push(path.length);

  expect(lengths.map((length) => length / '/a'.length)).toEqual(Array.from({ length: DEEP }, (_, n) => DEEP - n));
});
