import { YamlMapping, type YamlEntry, type YamlNode } from '../coordination/index.js';
import { placesIn } from './entry-place.js';
import type { Findings } from './findings.js';
import { type Leaf, pathText, uniform } from './settings-tree.js';

/** The form of a setting's value. Spring Boot takes blanks around a word away. */
export type Shape = 'word' | 'text' | 'list' | 'texts by name';

/** A setting of a group, with what the file says of it. */
interface Setting {
  readonly name: string;
  readonly at: number;
  node: YamlNode;
}

/** The settings below a path, as `groupOf` sorts them. */
interface Group {
  /** The known settings, under the names that they have in ElasticJob. */
  readonly mapping: YamlMapping;
  /** Settings that are not known, with their paths below the group. */
  readonly unknown: readonly Leaf[];
  /** The position at which a known setting is first said, or an entry of it, such as `props.email.host`. */
  readonly placeOf: (name: string) => number | undefined;
}

/**
 * The settings of one object, such as a job, of which ElasticJob knows the names: `job-parameter` is `jobParameter`.
 * @param leaves with paths below the object
 */
export function groupOf(findings: Findings, leaves: readonly Leaf[], shapes: Readonly<Record<string, Shape>>): Group {
  const names = new Map(Object.keys(shapes).map((name) => [uniform(name), name]));
  const settings = new Map<string, Setting>();
  const unknown: Leaf[] = [];
  for (const leaf of leaves) {
    const name = names.get(uniform(leaf.path[0] ?? ''));
    const below = leaf.path.slice(1);
    const node = name === undefined ? undefined : nodeOf(shapes[name]!, below, leaf, settings.get(name)?.node);
    if (name === undefined || node === undefined) unknown.push(leaf);
    else settings.set(name, { name, at: settings.get(name)?.at ?? leaf.at, node });
  }
  const entries = [...settings.values()].map(({ name, at, node }) => entryOf(name, at, node));
  return {
    mapping: new YamlMapping(findings.source, entries, [], findings.placeOf),
    unknown,
    placeOf: placesIn(entries),
  };
}

/** The value of a setting once a leaf is added to it; undefined if the setting cannot have such a leaf. */
function nodeOf(shape: Shape, below: readonly string[], leaf: Leaf, before?: YamlNode): YamlNode | undefined {
  const value: YamlNode = { kind: 'scalar', text: leaf.text, isPlain: false };
  switch (shape) {
    case 'word':
      return below.length === 0 ? { ...value, text: leaf.text.trim() } : undefined;
    case 'text':
      return below.length === 0 ? value : undefined;
    case 'list': {
      if (below.length === 0) return { kind: 'list', items: textsOf(leaf.text) };
      const items = before?.kind === 'list' ? before.items : [];
      return below.length === 1 && /^\[\d+\]$/.test(below[0]!) ? { kind: 'list', items: [...items, value] } : undefined;
    }
    default: {
      if (below.length === 0) return leaf.text === '' ? before : undefined;
      const entries = before?.kind === 'mapping' ? before.entries : [];
      return { kind: 'mapping', entries: [...entries, entryOf(pathText(below), leaf.at, value)] };
    }
  }
}

/** Spring Boot splits a text where a list is wanted. */
function textsOf(text: string): readonly YamlNode[] {
  const texts = text.split(',').map((part) => part.trim());
  return texts.flatMap((part) => (part === '' ? [] : [{ kind: 'scalar', text: part, isPlain: false } as const]));
}

function entryOf(key: string, at: number, value: YamlNode): YamlEntry {
  return { key, value, at, keyEnd: at, valueEnd: at, isFlow: false };
}
