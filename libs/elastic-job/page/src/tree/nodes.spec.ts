import { describe, expect, it } from 'vitest';
import { treeOf } from './nodes.js';

const CONFIG = 'cron: hidden\nshardingTotalCount: 3\nprops:\n  a | b: hidden';
const DUMP = [
  '/settle/sharding | ',
  '/settle/sharding/1 | ',
  '/settle/sharding/1/instance | ip1@-@7',
  '/settle/sharding/0 | ',
  `/settle/config | ${CONFIG}`,
  '/settle/servers | ',
  '',
].join('\n');

describe('a dump', () => {
  it('is the tree that its paths say, in its order', () => {
    const { isCut, nodes } = treeOf(DUMP);
    expect(isCut).toBe(false);
    expect(nodes.map(({ below, name }) => [name, below])).toEqual([
      ['sharding', 3],
      ['config', 0],
      ['servers', 0],
    ]);
    expect(nodes[0]?.children.map(({ name }) => name)).toEqual(['1', '0']);
    expect(nodes[0]?.children[0]?.children[0]).toMatchObject({ path: '/settle/sharding/1/instance', value: 'ip1@-@7' });
  });

  it('keeps all lines of a value', () => {
    const config = treeOf(DUMP).nodes.find(({ name }) => name === 'config');
    expect(config?.value).toBe(CONFIG);
  });

  it('says that it is cut, and shows a node whose parent was left out', () => {
    const { isCut, nodes } = treeOf('/settle/servers/ip1 | ENABLED\n# cut: the tree has more than 5 bytes\n');
    expect({ isCut, nodes }).toMatchObject({ isCut: true, nodes: [{ path: '/settle/servers/ip1', value: 'ENABLED' }] });
  });

  it('of nothing has no nodes', () => {
    expect(treeOf('\n')).toEqual({ nodes: [], isCut: false });
  });
});
