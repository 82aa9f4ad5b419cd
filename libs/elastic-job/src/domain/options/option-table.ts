import { IsOptional, validateSync, type ValidationError } from 'class-validator';
import { ConfigurationError } from '../errors.js';
import { findNearestName } from '../wording.js';
import { assertOptionsObject, isOptionsObject } from './given-values.js';
import { mustBeUnseen, type Rule, rule } from './option-rules.js';

/** The row of an option in a table. */
export interface OptionRow {
  readonly rule: Rule;
  /** Its value if it is not given. */
  readonly default?: unknown;
  /** It must be given. */
  readonly required?: true;
}

/** Options by name, each with its row. They are judged in the order of the table. */
export class OptionTable {
  private readonly names: readonly string[];
  private readonly rows: readonly (readonly [string, OptionRow])[];
  private readonly Judged: new () => object;

  /**
   * @param of the owner of the options, for messages
   * @param path prefix of their names in messages: `registry.`
   */
  constructor(
    rows: Readonly<Record<string, OptionRow>>,
    private readonly of: string,
    private readonly path = '',
  ) {
    this.names = Object.keys(rows);
    this.rows = Object.entries(rows);
    @Ruled(rows)
    class Judged {}
    this.Judged = Judged;
  }

  /** The options as class-validator takes them: an instance of a class that has the rules, each value as its own. */
  judged(options: object): object {
    return Object.assign(
      new this.Judged(),
      byName<Record<string, unknown>>(this.names, (name) => Reflect.get(options, name)),
    );
  }

  /**
   * The options by name. Each is read once, and null counts as not given.
   * @param place the owner of the options, for the error
   * @throws {ConfigurationError} for what is no options object, and for every option without a row or against its rule
   */
  checked<Options extends object>(place: string, options: Options): Options;
  checked(place: string, options: object): object {
    assertOptionsObject(place, options);
    const given = byName<Record<string, unknown>>(this.names, (name) => Reflect.get(options, name) ?? undefined);
    const faults = [...this.findUnknown(options), ...this.findBroken(given)];
    if (faults.length > 0) throw new ConfigurationError(place, faults);
    return given;
  }

  /** One text for each option that breaks its rule. */
  findBroken(options: object): string[] {
    // Finding the messages by class-validator takes twenty times as long.
    if (this.rows.every(([name, row]) => isKept(row, Reflect.get(options, name)))) return [];
    return messagesOf(validateSync(this.judged(options), { stopAtFirstError: true }), this.path);
  }

  /** One text for each option that has no row. */
  findUnknown(options: object): string[] {
    // Names only: a secret may stand under a misspelled name.
    return Object.keys(options)
      .filter((option) => !this.names.includes(option))
      .map((option) => describeUnknown(option, this.names, this.of, this.path));
  }
}

/** Says which option was probably meant. @param of the owner of the options @param path prefix of their names */
export function describeUnknown(option: string, known: readonly string[], of: string, path = ''): string {
  const meant = findNearestName(option, known);
  const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${path}${meant}?`;
  return `${path}${option} is not an option of ${of}; ${hint}`;
}

/** The names of a table's rows, in their order. */
export function namesOf<Rows extends object>(rows: Rows): readonly (keyof Rows & string)[] {
  return Object.keys(rows).filter((name): name is keyof Rows & string => name in rows);
}

/** Makes an object with a value for each name. The caller answers for its type, and the rules judge the values. */
export function byName<Made extends object>(
  names: readonly (keyof Made)[],
  valueOf: (name: keyof Made) => unknown,
): Made;
export function byName(names: readonly PropertyKey[], valueOf: (name: PropertyKey) => unknown): object {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}

/** Gives a class the rules of a table, for class-validator and Nest's `ValidationPipe`. */
export function Ruled(rows: Readonly<Record<string, OptionRow>>): ClassDecorator {
  return ({ prototype }) => {
    for (const [name, row] of Object.entries(rows)) {
      row.rule.decorator(prototype, name);
      if (!row.required) IsOptional()(prototype, name);
    }
  };
}

/**
 * Rule of an option that has options of its own, which the table judges. A value that has none is not shown, since it
 * may be a secret.
 * @param what the end of "must be"
 */
export function nested(what: string, table: OptionTable): Rule {
  const faultsOf = (value: object) => [...table.findUnknown(value), ...table.findBroken(value)];
  return rule(
    what,
    (value) => isOptionsObject(value) && faultsOf(value).length === 0,
    (given) => (isOptionsObject(given.value) ? faultsOf(given.value).join('; ') : mustBeUnseen(what)(given)),
  );
}

/** False also if only class-validator can tell. */
function isKept(row: OptionRow, value: unknown): boolean {
  const isLeftOut = value === undefined || value === null;
  return (isLeftOut && !row.required) || row.rule.accepts?.(value) === true;
}

function messagesOf(errors: readonly ValidationError[], path: string): string[] {
  return errors.flatMap(({ property, constraints = {}, children = [] }) => [
    ...Object.values(constraints).map((message) => path + message),
    ...messagesOf(children, `${path}${property}.`),
  ]);
}
