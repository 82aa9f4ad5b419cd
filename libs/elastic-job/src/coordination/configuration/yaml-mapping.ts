import { isMap, isScalar, LineCounter, type Pair, parseDocument, Scalar, YAMLMap } from 'yaml';

/** A YAML 1.1 mapping, or why the text is none. */
export type ReadMapping =
  | { readonly kind: 'mapping'; readonly mapping: YamlMapping }
  | { readonly kind: 'unreadable'; readonly problem: string; readonly cause?: Error };

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
  return { kind: 'mapping', mapping: new YamlMapping(document.contents, lines) };
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
    map: YAMLMap,
    private readonly lines: LineCounter,
    readonly problems: string[] = [],
  ) {
    this.entries = new Map(map.items.map((entry) => [String(entry.key), entry]));
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

  boolean(key: string): boolean | undefined {
    return this.read(key, 'true or false', readBoolean);
  }

  oneOf<T extends string>(key: string, choices: readonly T[]): T | undefined {
    return this.read(key, choices.join(' or '), (text) => choices.find((choice) => choice === text));
  }

  /** A mapping inside this one, empty if there is none; its problems are noted here. */
  mapping(key: string): YamlMapping {
    const value = this.entries.get(key)?.value;
    return new YamlMapping(isMap(value) ? value : new YAMLMap(), this.lines, this.problems);
  }

  /** Notes a problem for each key that is not known. */
  refuseOthers(known: readonly string[]): void {
    for (const [key, entry] of this.entries) {
      if (!known.includes(key))
        this.problems.push(`line ${this.lineOf(entry)}: "${key}" is not a setting of ElasticJob`);
    }
  }

  private read<T>(key: string, expected: string, convert: (text: string) => T | undefined): T | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined || isNull(entry.value)) return undefined;
    const value = isScalar(entry.value) ? convert(String(entry.value)) : undefined;
    if (value === undefined) {
      this.problems.push(`line ${this.lineOf(entry)}: ${key} must be ${expected}, but is "${String(entry.value)}"`);
    }
    return value;
  }

  private lineOf({ key }: Pair): number {
    return this.lines.linePos(isScalar(key) ? (key.range?.[0] ?? 0) : 0).line;
  }
}

function isNull(node: unknown): boolean {
  if (node === null) return true;
  return isScalar(node) && node.type === Scalar.PLAIN && /^(?:|~|null|Null|NULL)$/.test(String(node));
}

function readBoolean(text: string): boolean | undefined {
  if (/^(?:true|yes|on)$/i.test(text)) return true;
  return /^(?:false|no|off)$/i.test(text) ? false : undefined;
}

function readInteger(text: string): number | undefined {
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
