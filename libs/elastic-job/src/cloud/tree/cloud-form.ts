import { formatEntry, readMapping, type YamlMapping } from '../../coordination/index.js';
import {
  assertOptionsObject,
  byName,
  ConfigurationError,
  findNearestName,
  javaHashCode,
  namesOf,
  type OptionRow,
  OptionTable,
  type Rule,
  rule,
} from '../../domain/index.js';

/** Fields that Java has as `double`. */
const DOUBLES: ReadonlySet<string> = new Set(['cpuCount', 'memoryMB']);

type Value = string | number | boolean | Readonly<Record<string, string>> | undefined;
export type Partly<Configuration> = { readonly [Field in keyof Configuration]?: Configuration[Field] | undefined };

/** Content of a node. From a text with faults, as much as could be read. */
export type ReadCloudNode<Configuration> =
  | { readonly kind: 'read'; readonly configuration: Configuration }
  | { readonly kind: 'faulty'; readonly problems: readonly string[]; readonly partly: Partly<Configuration> };

interface CloudFormParts<Configuration> {
  /** Rule of each field, and its default, as in Java. */
  readonly rows: Readonly<Record<keyof Configuration, OptionRow>>;
  /** Owner of the fields, for error messages. */
  readonly of: string;
  /** The field that has the name of the node. */
  readonly name: keyof Configuration & string;
  readonly read: (node: YamlMapping) => Partly<Configuration>;
  /** Faults between fields. Called only if each field by itself is valid. */
  readonly findFaults: (configuration: Configuration) => readonly string[];
}

/**
 * Form of a node with a configuration of ElasticJob-Cloud. It writes byte for byte what Java's `YamlEngine` writes for
 * the POJO, and reads what that reads, with a clear fault for unusable texts.
 * @see ElasticJob-Cloud 3.0.2, `YamlEngine`
 */
export class CloudForm<Configuration extends object> {
  private readonly table: OptionTable;
  private readonly fields: readonly string[];

  constructor(private readonly parts: CloudFormParts<Configuration>) {
    this.table = new OptionTable(parts.rows, parts.of);
    this.fields = namesOf(parts.rows);
  }

  /** Keys in alphabetical order; no entry for an undefined value, and none for empty props. */
  format(configuration: Configuration): string {
    const entries: [string, Value][] = Object.entries(configuration);
    const lines = entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([key, value]) => formatField(key, value));
    return `${lines.join('\n')}\n`;
  }

  /** @param name of the node, if there is one */
  read(text: string, name?: string): ReadCloudNode<Configuration> {
    const read = readMapping(text);
    if (read.kind === 'unreadable') return { kind: 'faulty', problems: [read.problem], partly: {} };
    const { mapping } = read;
    for (const key of mapping.keys) if (!this.fields.includes(key)) mapping.refuse(key, this.unknown(key));
    const partly = this.parts.read(mapping);
    const problems = [...mapping.problems, ...this.findMisnamed(partly, name)];
    // An unreadable field is in `problems` already.
    if (problems.length > 0) return { kind: 'faulty', problems, partly };
    return this.judge(partly);
  }

  /** @throws {ConfigurationError} naming each field that is wrong */
  resolve(options: Partly<Configuration>): Configuration {
    assertOptionsObject(this.parts.of, options);
    const unknown = this.table.findUnknown(options);
    const judged = this.judge(options);
    const problems = [...unknown, ...(judged.kind === 'faulty' ? judged.problems : [])];
    if (judged.kind === 'read' && unknown.length === 0) return judged.configuration;
    throw new ConfigurationError(`${this.parts.of} ${JSON.stringify(options[this.parts.name])}`, problems);
  }

  private judge(given: Partly<Configuration>): ReadCloudNode<Configuration> {
    const complete = this.completed(given);
    const problems = this.table.findBroken(complete);
    if (problems.length === 0) problems.push(...this.parts.findFaults(complete));
    if (problems.length > 0) return { kind: 'faulty', problems, partly: given };
    return { kind: 'read', configuration: Object.freeze(complete) };
  }

  /** The type is checked by the rows, which come next. */
  private completed(given: Partly<Configuration>): Configuration {
    return byName<Configuration>(namesOf(this.parts.rows), (name) => given[name] ?? this.parts.rows[name].default);
  }

  private findMisnamed(partly: Partly<Configuration>, name: string | undefined): readonly string[] {
    const given = partly[this.parts.name];
    if (name === undefined || given === undefined || given === name) return [];
    return [`${this.parts.name} must be "${name}", as the node is called, but is ${JSON.stringify(given)}`];
  }

  private unknown(key: string): string {
    const meant = findNearestName(key, this.fields);
    const hint = meant === undefined ? `known are ${this.fields.join(', ')}` : `did you mean ${meant}?`;
    return `is not a field of ${this.parts.of}, and ElasticJob-Cloud refuses the whole text for it; ${hint}`;
  }
}

function formatField(key: string, value: Value): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === 'object') return formatProps(key, value);
  return [
    DOUBLES.has(key) && typeof value === 'number' ? `${key}: ${formatJavaDouble(value)}` : formatEntry(key, value),
  ];
}

function formatProps(key: string, props: Readonly<Record<string, string>>): readonly string[] {
  const names = inHashTableOrder(Object.keys(props));
  return names.length === 0 ? [] : [`${key}:`, ...names.map((name) => formatEntry(name, props[name]!, '  '))];
}

/**
 * A finite number as Java writes a `double`: at least one digit on each side of the point, and an exponent below a
 * thousandth and from ten million on. Java before 19 sometimes writes more digits than the number needs.
 * @see java.lang.Double#toString
 */
export function formatJavaDouble(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return `${mantissa}${mantissa.includes('.') ? '' : '.0'}E${exponent.replace('+', '')}`;
}

const LEAST_BINS = 16;

/** Keys of one bin, in the order of iteration. */
type Bin = readonly string[];

/**
 * Sorts keys as Java's `Properties` do since Java 9: as a hash table that grows while they are added one by one. Java
 * before 9 has another order.
 * @param keys without repeats, in the order of their insertion
 * @see java.util.concurrent.ConcurrentHashMap
 */
function inHashTableOrder(keys: readonly string[]): readonly string[] {
  let bins: Bin[] = Array.from({ length: LEAST_BINS }, () => []);
  for (const [count, key] of keys.entries()) {
    const index = spread(key) & (bins.length - 1);
    bins[index] = [...bins[index]!, key];
    if (count + 1 >= bins.length * 0.75) bins = doubled(bins);
  }
  return bins.flat();
}

/** The next bit of the hashes divides each bin. */
function doubled(bins: readonly Bin[]): Bin[] {
  const parted = bins.map((bin) => part(bin, bins.length));
  return [...parted.map(({ low }) => low), ...parted.map(({ high }) => high)];
}

/** The last keys of a bin that go the same way keep their order; those before them are prepended one by one. */
function part(bin: Bin, bit: number): { readonly low: Bin; readonly high: Bin } {
  const isHigh = (key: string) => (spread(key) & bit) !== 0;
  const last = bin.at(-1);
  if (last === undefined) return { low: bin, high: bin };
  const kept = bin.findLastIndex((key) => isHigh(key) !== isHigh(last)) + 1;
  const moved = bin.slice(0, kept).toReversed();
  const half = (wanted: boolean) => [
    ...moved.filter((key) => isHigh(key) === wanted),
    ...bin.slice(kept).filter((key) => isHigh(key) === wanted),
  ];
  return { low: half(false), high: half(true) };
}

function spread(key: string): number {
  const hash = javaHashCode(key);
  return (hash ^ (hash >>> 16)) & 0x7f_ff_ff_ff;
}

/** A finite number greater than 0. */
export function positive(): Rule {
  return rule('a number greater than 0', (value) => typeof value === 'number' && Number.isFinite(value) && value > 0);
}

/** A text that is not empty. @param what its form */
export function filledText(what: string): Rule {
  return rule(what, (value) => typeof value === 'string' && value.trim() !== '');
}
