import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  Scalar,
  YAMLMap,
} from 'yaml';
import { entryText } from './yaml-entry.js';
import { readBoolean, readInteger } from './yaml-value.js';

/** A YAML 1.1 mapping, or why the text is none. */
export type ReadMapping =
  | { readonly kind: 'mapping'; readonly mapping: YamlMapping }
  | { readonly kind: 'unreadable'; readonly problem: string; readonly cause?: Error };

/** What a mapping was read from. */
interface Source {
  readonly text: string;
  readonly lines: LineCounter;
  readonly document: Document;
}

/** The failsafe schema leaves every scalar the text that it is, so that the type of the field decides, as in Java. */
export function readMapping(text: string): ReadMapping {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    schema: 'failsafe',
    stringKeys: true,
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  });
  const cause = document.errors[0];
  if (cause !== undefined) {
    return { kind: 'unreadable', problem: `line ${lines.linePos(cause.pos[0]).line}: ${cause.message}`, cause };
  }
  if (!isMap(document.contents)) return { kind: 'unreadable', problem: 'line 1: it is not a YAML mapping' };
  return { kind: 'mapping', mapping: new YamlMapping(document.contents, { text, lines, document }) };
}

/**
 * Reads the values of a mapping as snakeyaml does when it knows a field's type: `yes` is a boolean's true but a text's
 * `yes`, `'3'` is a number if one is wanted, null is no value, and of two entries for one key the last one counts.
 *
 * What cannot be read is undefined and among the `problems`, each of which names line, key and value.
 */
export class YamlMapping {
  private readonly entries: ReadonlyMap<string, Pair>;

  constructor(
    private readonly map: YAMLMap,
    private readonly source: Source,
    readonly problems: string[] = [],
  ) {
    this.entries = new Map(map.items.map((entry) => [String(entry.key), entry]));
  }

  get keys(): readonly string[] {
    return [...this.entries.keys()];
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  text(key: string): string | undefined {
    return this.read(key, 'a text', (text) => text);
  }

  integer(key: string): number | undefined {
    return this.read(key, 'a whole number', readInteger);
  }

  /** A whole number or one of the texts. */
  integerOr<T extends string>(key: string, choices: readonly T[]): number | T | undefined {
    const expected = `a whole number, ${choices.join(' or ')}`;
    return this.read(key, expected, (text) => choices.find((choice) => choice === text) ?? readInteger(text));
  }

  /** A decimal number, with a point or without. */
  number(key: string): number | undefined {
    return this.read(key, 'a number', (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined));
  }

  boolean(key: string): boolean | undefined {
    return this.read(key, 'true or false', readBoolean);
  }

  oneOf<T extends string>(key: string, choices: readonly T[]): T | undefined {
    return this.read(key, choices.join(' or '), (text) => choices.find((choice) => choice === text));
  }

  /** A text where Java knows no type: the plain `012` is the number ten there, and then the text `10`. */
  looseText(key: string): string | undefined {
    const node = this.value(key);
    const isPlain = isScalar(node) && node.type === Scalar.PLAIN;
    return this.read(key, 'a text', (text) =>
      isPlain ? String(readBoolean(text) ?? readInteger(text) ?? text) : text,
    );
  }

  texts(key: string): readonly string[] | undefined {
    const node = this.value(key);
    if (isNull(node)) return undefined;
    if (isSeq(node) && node.items.every((item) => isScalar(item))) return node.items.map((item) => String(item));
    this.refuse(key, 'must be a list of texts');
    return undefined;
  }

  /** A mapping inside this one, empty if there is none; its problems are noted here. */
  mapping(key: string): YamlMapping {
    const node = this.value(key);
    if (!isMap(node) && !isNull(node)) this.refuse(key, 'must be a mapping');
    return new YamlMapping(isMap(node) ? node : new YAMLMap(), this.source, this.problems);
  }

  /** The text of an entry as it can be written back, undefined if it has no value. Only for a document's own mapping. */
  entryText(key: string): { readonly key: string; readonly value: string } | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined || isNull(this.value(key))) return undefined;
    return entryText(this.source.text, this.map, entry);
  }

  /** Notes what is wrong with an entry. */
  refuse(key: string, fault: string): void {
    const node = this.entries.get(key)?.key;
    const { line } = this.source.lines.linePos(isScalar(node) ? (node.range?.[0] ?? 0) : 0);
    this.problems.push(`line ${line}: ${key} ${fault}`);
  }

  private read<T>(key: string, expected: string, convert: (text: string) => T | undefined): T | undefined {
    const node = this.value(key);
    if (isNull(node)) return undefined;
    const value = isScalar(node) ? convert(textOf(node)) : undefined;
    const given = isScalar(node) ? `"${String(node)}"` : 'a list or a mapping';
    if (value === undefined) this.refuse(key, `must be ${expected}, but is ${given}`);
    return value;
  }

  private value(key: string): unknown {
    const value = this.entries.get(key)?.value;
    return isAlias(value) ? value.resolve(this.source.document) : value;
  }
}

/** snakeyaml writes a text with control characters as Base64. */
function textOf(node: Scalar): string {
  const isBinary = node.tag === 'tag:yaml.org,2002:binary';
  return isBinary ? Buffer.from(String(node), 'base64').toString('utf8') : String(node);
}

function isNull(node: unknown): boolean {
  if (node === null || node === undefined) return true;
  return isScalar(node) && node.type === Scalar.PLAIN && /^(?:|~|null|Null|NULL)$/.test(String(node));
}
