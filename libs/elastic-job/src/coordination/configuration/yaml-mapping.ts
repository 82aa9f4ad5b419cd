import { either, type EntryReader, findNodeTextFault } from '../../domain/index.js';
import { NOTHING, type YamlEntry, type YamlNode, type YamlScalar } from './yaml-cursor.js';
import { readYaml } from './yaml-reader.js';
import { formatKey } from './yaml-scalar.js';

/** Most faults reported of one text. */
const REPORTED_PROBLEMS = 20;
const REPORTED_CHARACTERS = 200;

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
    if (this.problems.length >= REPORTED_PROBLEMS) return;
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
  return text.length <= REPORTED_CHARACTERS ? text : `${text.slice(0, REPORTED_CHARACTERS)}...`;
}

/** A YAML 1.1 boolean, or undefined. */
function readBoolean(text: string): boolean | undefined {
  if (text.length > 5) return undefined;
  if (/^(?:true|yes|on)$/i.test(text)) return true;
  return /^(?:false|no|off)$/i.test(text) ? false : undefined;
}

/** A YAML 1.1 integer, or undefined. */
function readInteger(text: string): number | undefined {
  if (!/^[-+]?\d/.test(text)) return undefined;
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '');
  const size = readDigits(digits);
  return size !== undefined && text.startsWith('-') ? -size : size;
}

/** Binary, hexadecimal, octal, decimal, and base 60 with colons. */
function readDigits(digits: string): number | undefined {
  if (/^0b[01]+$/.test(digits)) return Number.parseInt(digits.slice(2), 2);
  if (/^0x[\da-f]+$/i.test(digits)) return Number.parseInt(digits.slice(2), 16);
  if (/^0[0-7]+$/.test(digits)) return Number.parseInt(digits, 8);
  if (!/^(?:0|[1-9]\d*(?::[0-5]?\d)*)$/.test(digits)) return undefined;
  return digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

/**
 * A number as Java reads a `double`: with or without a point or an exponent, with underscores, or base 60 with colons.
 */
function readDouble(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '');
  if (/^\d+(?::[0-5]?\d)+(?:\.\d*)?$/.test(digits)) {
    return sign * digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  }
  return /^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(digits) ? sign * Number(digits) : undefined;
}

/**
 * Text of an entry of a document's mapping, for writing it back unchanged: the key, and everything from the colon to
 * the next entry. An entry of a flow mapping (`{a: 1}`) becomes one of a block mapping; a key of several lines cannot
 * stay as it is there, and is written anew.
 * @param text the document
 * @param end start of the next entry
 */
function entryText(
  text: string,
  { key: name, at, keyEnd, valueEnd, isFlow }: YamlEntry,
  end: number,
): { readonly key: string; readonly value: string } {
  const asItWas = text.slice(at, keyEnd);
  const key = asItWas.includes('\n') ? formatKey(name, '').replace(/: $/, '') : asItWas;
  const colon = /\s*:/y;
  colon.lastIndex = keyEnd;
  const start = colon.test(text) ? colon.lastIndex : keyEnd;
  if (!isFlow) return { key, value: text.slice(start, end).replace(/\r?\n(?:\? *)?$/, '') };
  // In block style, further lines must be indented.
  return { key, value: ` ${text.slice(start, valueEnd).trim().replaceAll('\n', '\n  ')}` };
}

/** Names a position of one text: `line 3`. */
export type PlaceOf = (at: number) => string;

/** Names positions by their lines, from 1: `line 3`. */
function linesOf(text: string): PlaceOf {
  const placeOf = linesAndStartsOf(text);
  return (at) => `line ${placeOf(at).line}`;
}

/** Names positions by line and column, from 1: `line 3, column 5`. */
export function linesAndColumnsOf(text: string): PlaceOf {
  const placeOf = linesAndStartsOf(text);
  return (at) => {
    const { line, start } = placeOf(at);
    return `line ${line}, column ${at - start + 1}`;
  };
}

/** Line of a position and the start of that line. The text is searched for its lines at the first question. */
function linesAndStartsOf(text: string): (at: number) => { readonly line: number; readonly start: number } {
  let starts: readonly number[] | undefined;
  return (at) => {
    starts ??= startsOfLines(text);
    let [line, end] = [0, starts.length];
    while (end - line > 1) {
      const middle = (line + end) >>> 1;
      if (starts[middle]! <= at) line = middle;
      else end = middle;
    }
    return { line: line + 1, start: starts[line]! };
  };
}

function startsOfLines(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}
