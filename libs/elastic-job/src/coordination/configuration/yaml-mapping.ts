import { either, type EntryReader, findNodeTextFault } from '../../domain/index.js';
import { linesOf, type PlaceOf } from './text-places.js';
import { entryText } from './yaml-entry.js';
import { NOTHING, type YamlEntry, type YamlNode, type YamlScalar } from './yaml-node.js';
import { readYaml } from './yaml-reader.js';
import { readBoolean, readDouble, readInteger } from './yaml-value.js';

/** Most faults reported of one text. */
const TOLD_PROBLEMS = 20;
const TOLD_CHARACTERS = 200;

/** A YAML 1.1 mapping, or the reason why the text is not one. */
type ReadMapping =
  | { readonly kind: 'mapping'; readonly mapping: YamlMapping }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** Parses a text. Scalars stay texts, so that the type of the field decides, as in Java. */
export function readMapping(text: string, placeOf: PlaceOf = linesOf(text)): ReadMapping {
  const fault = findNodeTextFault(text);
  if (fault !== undefined) return { kind: 'unreadable', problem: fault };
  const read = readYaml(text);
  if (read.kind === 'fault') return { kind: 'unreadable', problem: `${placeOf(read.at)}: ${read.problem}` };
  const { node } = read;
  if (node.kind !== 'mapping') return { kind: 'unreadable', problem: `${placeOf(0)}: it is not a YAML mapping` };
  return { kind: 'mapping', mapping: new YamlMapping(text, node.entries, [], placeOf) };
}

/**
 * Reads the values of a mapping as snakeyaml does when it knows a field's type: `yes` is true for a boolean but `yes`
 * for a text, `'3'` is a number if one is expected, null is no value, and the last of two entries for one key counts.
 *
 * An unreadable value is undefined and added to the `problems`, each of which names line, key and value.
 */
export class YamlMapping implements EntryReader {
  private places: ReadonlyMap<YamlEntry, number> | undefined;
  private readonly entries = new Map<string, YamlEntry>();

  constructor(
    private readonly source: string,
    private readonly list: readonly YamlEntry[],
    readonly problems: string[] = [],
    private readonly placeOf: PlaceOf = linesOf(source),
  ) {
    for (const entry of list) this.entries.set(entry.key, entry);
  }

  /** Entries as they are written, including a key that occurs twice. */
  get written(): readonly YamlEntry[] {
    return this.list;
  }

  get keys(): Iterable<string> {
    return this.entries.keys();
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  text(key: string): string | undefined {
    return this.read(key, 'a text', (text) => text);
  }

  /** A whole number or one of the texts. */
  integerOr<T extends string>(key: string, choices: readonly T[]): number | T | undefined {
    const expected = either(['a whole number', ...choices]);
    return this.read(key, expected, (text) => choices.find((choice) => choice === text) ?? readInteger(text));
  }

  /** A decimal number, with or without a point. */
  number(key: string): number | undefined {
    return this.read(key, 'a number', (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined));
  }

  /** A number of Java's type `double`. */
  double(key: string): number | undefined {
    return this.read(key, 'a number', readDouble);
  }

  boolean(key: string): boolean | undefined {
    return this.read(key, 'true or false', readBoolean);
  }

  oneOf<T extends string>(key: string, choices: readonly T[]): T | undefined {
    return this.read(key, choices.join(' or '), (text) => choices.find((choice) => choice === text));
  }

  /** A text where Java knows no type: there, the plain `012` is the number ten, and so the text `10`. */
  looseText(key: string): string | undefined {
    const node = this.value(key);
    return node.kind === 'scalar' ? looseTextOf(node) : this.text(key);
  }

  /** Texts by name, each read like `looseText`. Names without a value are omitted. */
  looseTexts(key: string): Readonly<Record<string, string>> {
    const node = this.mapping(key);
    const texts = [...node.keys].map((name) => [name, node.looseText(name)] as const);
    return Object.fromEntries(texts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
  }

  texts(key: string): readonly string[] | undefined {
    const node = this.value(key);
    if (isNull(node)) return undefined;
    const texts =
      node.kind === 'list' ? node.items.map((item) => (item.kind === 'scalar' ? item.text : undefined)) : [];
    if (node.kind === 'list' && texts.every((text) => text !== undefined)) return texts;
    this.refuse(key, 'must be a list of texts');
    return undefined;
  }

  /** A mapping inside this one, empty if there is none. Its problems are collected here. */
  mapping(key: string): YamlMapping {
    const node = this.value(key);
    if (node.kind !== 'mapping' && !isNull(node)) this.refuse(key, 'must be a mapping');
    return new YamlMapping(this.source, node.kind === 'mapping' ? node.entries : [], this.problems, this.placeOf);
  }

  /** Text of an entry for writing it back; undefined if it has no value. Only for a document's own mapping. */
  entryText(key: string): { readonly key: string; readonly value: string } | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined || isNull(entry.value)) return undefined;
    this.places ??= new Map(this.list.map((one, index) => [one, index]));
    const next = this.list[this.places.get(entry)! + 1];
    return entryText(this.source, entry, next?.at ?? entry.valueEnd);
  }

  /** Records a fault of an entry, up to a limit that is enough for a repair. */
  refuse(key: string, fault: string): void {
    if (this.problems.length >= TOLD_PROBLEMS) return;
    const place = this.placeOf(this.entries.get(key)?.at ?? 0);
    this.problems.push(`${place}: ${shortened(key)} ${fault}`);
  }

  private read<T>(key: string, expected: string, convert: (text: string) => T | undefined): T | undefined {
    const node = this.value(key);
    if (isNull(node)) return undefined;
    const value = node.kind === 'scalar' ? convert(node.text) : undefined;
    if (value !== undefined) return value;
    const given = node.kind === 'scalar' ? `"${shortened(node.text)}"` : 'a list or a mapping';
    this.refuse(key, `must be ${expected}, but is ${given}`);
    return undefined;
  }

  private value(key: string): YamlNode {
    return this.entries.get(key)?.value ?? NOTHING;
  }
}

/** A scalar where Java knows no type. @see YamlMapping.looseText */
export function looseTextOf(node: YamlScalar): string | undefined {
  if (!node.isPlain) return node.text;
  return isNull(node) ? undefined : String(readBoolean(node.text) ?? readInteger(node.text) ?? node.text);
}

function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.isPlain && node.text.length <= 4 && /^(?:|~|null|Null|NULL)$/.test(node.text);
}

function shortened(text: string): string {
  return text.length <= TOLD_CHARACTERS ? text : `${text.slice(0, TOLD_CHARACTERS)}...`;
}
