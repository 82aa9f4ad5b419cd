import { ConfigurationError } from '../domain/index.js';
import { looseTextOf, type YamlEntry, type YamlNode } from '../coordination/index.js';
import { PLACE } from './findings.js';

/** A setting as Spring Boot knows it: a path and a text, whatever form the file has. */
export interface Leaf {
  /** The parts of the path as they are written: keys, and `[0]` of lists. */
  readonly path: readonly string[];
  readonly text: string;
  /** The position of its key. */
  readonly at: number;
}

/** Aliases and merges could make many settings of a short text. */
const MOST_LEAVES = 10_000;
/** Each setting has its whole path, so that many below a long one would take long. */
const MOST_CHARACTERS = 1_000;

/** The settings of YAML entries. A key may have several parts, and `<<` merges what has less to say. */
export function leavesOf(entries: readonly YamlEntry[]): readonly Leaf[] {
  const leaves: Leaf[] = [];
  collect(leaves, [], entries);
  return leaves;
}

function collect(leaves: Leaf[], path: readonly string[], entries: readonly YamlEntry[]): void {
  for (const { key, value } of entries) if (key === '<<') collectMerged(leaves, path, value);
  for (const { at, key, value } of entries)
    if (key !== '<<') collectNode(leaves, pathBelow(path, partsOf(key)), value, at);
}

function collectMerged(leaves: Leaf[], path: readonly string[], merged: YamlNode): void {
  const nodes = merged.kind === 'list' ? merged.items.toReversed() : [merged];
  for (const node of nodes) if (node.kind === 'mapping') collect(leaves, path, node.entries);
}

function collectNode(leaves: Leaf[], path: readonly string[], node: YamlNode, at: number): void {
  switch (node.kind) {
    case 'mapping':
      return collect(leaves, path, node.entries);
    case 'list':
      for (const [index, item] of node.items.entries()) collectNode(leaves, pathBelow(path, [`[${index}]`]), item, at);
      return;
    default: {
      const text = looseTextOf(node);
      if (text === undefined) return;
      refuseTooMany(leaves);
      leaves.push({ path, text, at });
    }
  }
}

/** Refuses one setting more than a file may have. */
export function refuseTooMany(leaves: readonly Leaf[]): void {
  if (leaves.length < MOST_LEAVES) return;
  throw new ConfigurationError(PLACE, [`it has more than ${MOST_LEAVES} settings`]);
}

function pathBelow(path: readonly string[], parts: readonly string[]): readonly string[] {
  const below = [...path, ...parts];
  if (below.join('.').length <= MOST_CHARACTERS) return below;
  throw new ConfigurationError(PLACE, [`it has a setting whose path has more than ${MOST_CHARACTERS} characters`]);
}

/** The parts of a dotted name: `jobs[my.job].a[0]` has `jobs`, `my.job`, `a` and `[0]`. */
export function partsOf(name: string): readonly string[] {
  // No bracket within brackets: of many that are never closed, each would be read to the end of the text.
  const parts = name.match(/\[[^[\]]*\]|[^.[]+/g) ?? [name];
  return parts.map((part) => (/^\[(?!\d+\]$)/.test(part) ? part.slice(1, -1) : part));
}

/** A part by which Spring Boot compares names: `reg-center`, `regCenter` and `REG_CENTER` are one. */
export function uniform(part: string): string {
  return part.toLowerCase().replaceAll(/[^a-z0-9.[\]]/g, '');
}

/** A path as one text, the parts as given. */
export function pathText(parts: readonly string[]): string {
  return parts.map((part, index) => (index === 0 || part.startsWith('[') ? part : `.${part}`)).join('');
}
