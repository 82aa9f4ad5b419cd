import { IsBoolean, IsString, ValidateBy, type ValidationArguments } from 'class-validator';
import { messageOf } from '../thrown.js';

/** Greatest value of Java's `int`, and longest delay of a timer in milliseconds. */
export const GREATEST_INT = 2_147_483_647;

type Message = (given: ValidationArguments) => string;

/** Text in the registry for a setting without a value, which overrides the local options. */
export const NONE = 'none';

/** Rule of an option. */
export interface Rule {
  /** The end of "must be": `a number from 0 to 1`. */
  readonly what: string;
  /** True for values that keep the rule. @default class-validator alone can tell */
  readonly accepts?: (value: unknown) => boolean;
  /** The rule as class-validator takes it. */
  readonly decorator: PropertyDecorator;
  /** As much of the rule as JSON Schema can say. @default any value */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** Entries of a node in the registry. All are texts; the caller asks for the type that it needs. */
export interface EntryReader {
  text(key: string): string | undefined;
  boolean(key: string): boolean | undefined;
  number(key: string): number | undefined;
  integerOr<Word extends string>(key: string, words: readonly Word[]): number | Word | undefined;
  oneOf<Word extends string>(key: string, words: readonly Word[]): Word | undefined;
}

/** The rule of a setting that the registry keeps. */
export interface KeptRule<Value> extends Rule {
  /** Reads an entry; undefined if there is none. @param none `[NONE]` if the setting may have no value */
  readonly read: (node: EntryReader, key: string, none: readonly None[]) => Value | None | undefined;
}

type None = typeof NONE;

/** Makes a rule from the values that it accepts. @param message called only for a value that is not accepted */
export function rule(what: string, accepts: (value: unknown) => boolean, message: Message = mustBe(what)): Rule {
  const validator = { validate: accepts, defaultMessage: (given?: ValidationArguments) => message(given!) };
  return { what, accepts, decorator: ValidateBy({ name: what, validator }) };
}

/** A class-validator message that names the field, says what it must be and echoes what it is. */
export function mustBe(what: string, shown = show): Message {
  return ({ property, value }) => `${property} must be ${what}, but is ${shown(value)}`;
}

/** As `mustBe`, but without the value, which may be a secret. */
export function mustBeUnseen(what: string): Message {
  return ({ property }) => `${property} must be ${what}`;
}

/** True or false. */
export function flag(): KeptRule<boolean> {
  const what = 'true or false';
  const accepts = (value: unknown) => typeof value === 'boolean';
  const decorator = IsBoolean({ message: mustBe(what) });
  return { what, accepts, decorator, schema: { type: 'boolean' }, read: (node, key) => node.boolean(key) };
}

/** A text. @param what its form, if it has one */
export function text(what = 'a text'): KeptRule<string> {
  const accepts = (value: unknown) => typeof value === 'string';
  const decorator = IsString({ message: mustBe(what) });
  return { what, accepts, decorator, schema: { type: 'string' }, read: (node, key) => node.text(key) };
}

/** A whole number that fits Java's `int`. */
export function wholeNumber({ from = -GREATEST_INT, to = GREATEST_INT } = {}): KeptRule<number> {
  return {
    ...rule(`a whole number from ${from} to ${to}`, (value) => isWholeNumber(value, from, to)),
    schema: { type: 'integer', minimum: from, maximum: to },
    read: (node, key, none) => node.integerOr(key, none),
  };
}

/** A whole number that may be beyond Java's `int`, as numbers of rows and bytes are. */
export function wholeFrom(from: number): Rule {
  return rule(`a whole number from ${from}`, (value) => isWholeNumber(value, from, Number.MAX_SAFE_INTEGER));
}

/** A number, whole or not. @param to without it `Infinity` is one, which is no limit */
export function number(from: number, to = Number.POSITIVE_INFINITY): KeptRule<number> {
  const end = to === Number.POSITIVE_INFINITY ? '' : ` to ${to}`;
  return {
    ...rule(`a number from ${from}${end}`, (value) => typeof value === 'number' && value >= from && value <= to),
    schema: { type: 'number', minimum: from, ...(end !== '' && { maximum: to }) },
    read: (node, key) => node.number(key),
  };
}

/** A number above 0, whole or not. `Infinity` is one, which is no limit. */
export function aboveZero(): Rule {
  return rule('a number above 0', (value) => typeof value === 'number' && value > 0);
}

/** One of the words. */
export function oneOf<Word extends string>(words: readonly Word[]): KeptRule<Word> {
  return {
    ...rule(either(words.map(show)), (value) => words.some((word) => word === value)),
    schema: { enum: words },
    read: (node, key) => node.oneOf(key, words),
  };
}

/** A text that `parse` accepts; the error of `parse` is the fault. */
export function readAs(what: string, parse: (given: string) => unknown): KeptRule<string> {
  return {
    ...rule(
      what,
      (value) => typeof value === 'string' && findFault(() => parse(value)) === undefined,
      (given) => {
        const value: unknown = given.value;
        if (typeof value !== 'string') return mustBe(what)(given);
        return `${given.property}: ${findFault(() => parse(value))}`;
      },
    ),
    schema: { type: 'string' },
    read: (node, key) => node.text(key),
  };
}

/** The error of an attempt, as text; undefined if it succeeded. */
export function findFault(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** A value as a developer would write it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return `the class ${value.name}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `an object (${Object.keys(value).join(', ')})`;
  return String(value);
}

/** Words as a choice: `a, b or c`. */
export function either(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ');
}

/** True for a whole number within the bounds. */
export function isWholeNumber(value: unknown, from: number, to = GREATEST_INT): boolean {
  return Number.isInteger(value) && Number(value) >= from && Number(value) <= to;
}

/** Rule of an object that has these methods. */
export function having(what: string, ...methods: readonly string[]): Rule {
  return rule(what, (value) => hasMethods(value, ...methods));
}

/** True for the URL of a file, also for one of another realm, such as Jest's. */
export function isFileUrl(value: unknown): value is URL {
  return Reflect.get(Object(value), 'protocol') === 'file:';
}

/** True for an object of any class that has these methods. */
export function hasMethods(value: unknown, ...methods: readonly string[]): boolean {
  return methods.every((method) => typeof Reflect.get(Object(value), method) === 'function');
}
