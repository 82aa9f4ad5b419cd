import { expect, it } from 'vitest';
import { NodeMap } from './node-map.js';

const FAMILY = ['/a', '/a/x', '/a/x/1', '/a/y'];

it('names the children of a node, be there none, one or many, as they come and go', () => {
  const nodes = mapOf('/a');
  const seen = [nodes.children('/a')];
  for (const path of ['/a/x', '/a/y', '/a/z']) seen.push((nodes.put(path, 1), nodes.children('/a')));
  for (const path of ['/a/y', '/a/x', '/a/z']) seen.push((nodes.remove(path), nodes.children('/a')));
  expect(seen).toEqual([[], ['x'], ['x', 'y'], ['x', 'y', 'z'], ['x', 'z'], ['z'], []]);
});

it('gives the same list of several children until one comes or goes, and changes none that it has given', () => {
  const nodes = mapOf('/a', '/a/x', '/a/y');
  const before = nodes.children('/a');
  expect(nodes.children('/a')).toBe(before);
  nodes.put('/a/x', 2);
  expect(nodes.children('/a')).toBe(before);
  nodes.put('/a/z', 1);
  expect(nodes.children('/a')).toEqual(['x', 'y', 'z']);
  nodes.remove('/a/x');
  expect(nodes.children('/a')).toEqual(['y', 'z']);
  expect(before).toEqual(['x', 'y']);
});

it('counts the children of a node', () => {
  const nodes = mapOf(...FAMILY);
  expect(['/a', '/a/x', '/a/y', '/b'].map((path) => nodes.childCount(path))).toEqual([2, 1, 0, undefined]);
});

it('keeps the children of a node that gets another value', () => {
  const nodes = mapOf(...FAMILY);
  nodes.put('/a', 2);
  expect([nodes.get('/a'), nodes.children('/a')]).toEqual([2, ['x', 'y']]);
});

it('replaces the value of a node that is there, and of no other', () => {
  const nodes = mapOf('/a');
  expect([nodes.replace('/a', 2), nodes.replace('/b', 2)]).toEqual([true, false]);
  expect([nodes.get('/a'), nodes.has('/b')]).toEqual([2, false]);
});

it('tells a node without a value from one that is not there', () => {
  const nodes = new NodeMap<number | undefined>();
  nodes.put('/a', undefined);
  expect([nodes.has('/a'), nodes.get('/a'), nodes.has('/b')]).toEqual([true, undefined, false]);
});

it('removes nothing where nothing is', () => {
  const nodes = mapOf('/a', '/a/x');
  nodes.remove('/a/y');
  expect(nodes.children('/a')).toEqual(['x']);
});

it('lists a node and all below it, parents first', () => {
  const nodes = mapOf(...FAMILY, '/b');
  expect(nodes.subtree('/a').toSorted()).toEqual(FAMILY);
  expect(nodes.subtree('/a').indexOf('/a/x')).toBeLessThan(nodes.subtree('/a').indexOf('/a/x/1'));
  expect(nodes.subtree('/c')).toEqual([]);
});

it('has all below the root', () => {
  const nodes = mapOf('/', '/a', '/b');
  expect(nodes.children('/').toSorted()).toEqual(['a', 'b']);
});

function mapOf(...paths: readonly string[]): NodeMap<number> {
  const nodes = new NodeMap<number>();
  for (const path of paths) nodes.put(path, 1);
  return nodes;
}
