import { looseTextOf, type YamlEntry, type YamlNode } from '../coordination/index.js';
import { ConfigurationError } from '../domain/index.js';
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

/**
 * The settings of YAML entries. A key may have several parts, and `<<` merges the entries whose keys are not there.
 * @param start the position from which those of the entries count
 * @param before the number of settings that the text has had so far
 */
export function leavesOf(entries: readonly YamlEntry[], start: number, before: number): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const merged = new Map<readonly YamlEntry[], readonly YamlEntry[]>();
  const collect = (path: readonly string[], node: YamlNode, at: number): void => {
    switch (node.kind) {
      case 'mapping':
        for (const entry of mergedEntries(node.entries, merged))
          collect(pathBelow(path, partsOf(entry.key)), entry.value, entry.at);
        return;
      case 'list':
        for (const [index, item] of node.items.entries()) collect(pathBelow(path, [`[${index}]`]), item, at);
        return;
      default: {
        const text = looseTextOf(node);
        if (text === undefined) return;
        refuseTooMany(before + leaves.length);
        leaves.push({ path, text, at: start + at });
      }
    }
  };
  collect([], { kind: 'mapping', entries }, 0);
  return leaves;
}

/** The entries of a mapping, and behind them those that it merges. @param known what it has answered so far */
function mergedEntries(
  entries: readonly YamlEntry[],
  known: Map<readonly YamlEntry[], readonly YamlEntry[]>,
): readonly YamlEntry[] {
  const before = known.get(entries);
  if (before !== undefined) return before;
  const byKey = new Map(entries.filter(({ key }) => key !== '<<').map((entry) => [entry.key, entry]));
  for (const { key, value } of entries) {
    if (key !== '<<') continue;
    for (const node of value.kind === 'list' ? value.items : [value]) {
      if (node.kind !== 'mapping') continue;
      for (const entry of mergedEntries(node.entries, known)) if (!byKey.has(entry.key)) byKey.set(entry.key, entry);
    }
  }
  const all = [...byKey.values()];
  known.set(entries, all);
  return all;
}

/** Refuses one setting more than a file may have. @param count those that are there */
export function refuseTooMany(count: number): void {
  if (count < MOST_LEAVES) return;
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

export function isOfElasticJob(path: readonly string[]): boolean {
  return uniform(path[0] ?? '') === 'elasticjob';
}

/**
 * The setting of a path, equal for all its spellings, and the index in it if it is a list, else an empty text. The
 * names of jobs and of their props are as they are written.
 */
export function settingOf(path: readonly string[]): { readonly key: string; readonly index: string } {
  const last = path.at(-1) ?? '';
  const index = /^\[\d+\]$/.test(last) ? last : '';
  const parts = index === '' ? path : path.slice(0, -1);
  const [, group = '', job = '', name = '', ...below] = parts;
  const isOfJob = isOfElasticJob(path) && uniform(group) === 'jobs';
  const key = isOfJob ? ['jobs', job, uniform(name), pathText(below)] : [uniform(pathText(parts))];
  return { key: JSON.stringify(key), index };
}

/** A path as one text, the parts as given. */
export function pathText(parts: readonly string[]): string {
  return parts.map((part, index) => (index === 0 || part.startsWith('[') ? part : `.${part}`)).join('');
}

/** The innermost placeholder of a text: `${NAME}` or `${NAME:default}`. */
const PLACEHOLDER = /\$\{(?<name>[^${}:]+)(?::(?<usual>[^${}]*))?\}/;
/** Placeholders may name each other. */
const MOST_STEPS = 50;

/** A text whose placeholders are replaced. */
interface Filled {
  readonly text: string;
  /** Names whose defaults were taken. */
  readonly defaulted: readonly string[];
  /** A name without a value and a default: the text cannot be used. */
  readonly missing?: string;
}

/** Values for Spring's placeholders: those that are given, then the other settings of the file. */
export class Placeholders {
  private readonly settings: ReadonlyMap<string, string>;

  constructor(
    private readonly given: Readonly<Record<string, string | undefined>>,
    leaves: readonly Leaf[],
  ) {
    this.settings = new Map(leaves.map(({ path, text }) => [uniform(pathText(path)), text]));
  }

  fill(given: string): Filled {
    let text = given;
    const defaulted: string[] = [];
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const match = PLACEHOLDER.exec(text);
      if (match === null) return { text, defaulted };
      const { name = '', usual } = match.groups!;
      const known = this.givenFor(name) ?? this.givenFor(variableOf(name)) ?? this.settings.get(uniform(name));
      const value = known ?? usual;
      if (value === undefined) return { text, defaulted, missing: name };
      if (known === undefined) defaulted.push(name);
      text = text.slice(0, match.index) + value + text.slice(match.index + match[0].length);
    }
    return { text, defaulted, missing: PLACEHOLDER.exec(text)?.groups!['name'] };
  }

  private givenFor(name: string): string | undefined {
    return Object.hasOwn(this.given, name) ? this.given[name] : undefined;
  }
}

/** The environment variable that Spring Boot takes for a name: `ZK_SERVERLISTS` for `zk.server-lists`. */
function variableOf(name: string): string {
  return name.replaceAll('-', '').replaceAll('.', '_').toUpperCase();
}
