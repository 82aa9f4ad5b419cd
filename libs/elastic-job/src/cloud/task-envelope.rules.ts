import { findJobNameFault, isObject, show } from '../domain/index.js';
import type { TaskEnvelope, TaskRetries } from './task-envelope.js';

/** Finds the fault of a value, as the end of a sentence that begins with the field; undefined if there is none. */
type FindFieldFault = (value: unknown) => string | undefined;

interface FieldRule {
  readonly isRequired: boolean;
  readonly findFault: FindFieldFault;
}

/** Java's `int`, in which items are counted. */
const GREATEST_INT = 2_147_483_647;
const SOURCES: readonly unknown[] = ['NORMAL_TRIGGER', 'MISFIRE', 'FAILOVER'];
/** @see W3C Trace Context, section 3.2; later versions may append fields to these */
export const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]*)?$/;
/** A `bigint` of 63 bits, without leading zeros. */
const TOKEN = /^(0|[1-9][0-9]{0,18})$/;

const mustBe = (what: string, isSo: (value: unknown) => boolean): FindFieldFault => {
  return (value) => (isSo(value) ? undefined : `must be ${what}, but is ${show(value)}`);
};
const isText = (value: unknown): value is string => typeof value === 'string';
const isWhole = (value: unknown, from: number, to = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isInteger(value) && Number(value) >= from && Number(value) <= to;
const isBetween = (value: unknown, from: number, to: number): boolean =>
  typeof value === 'number' && value >= from && value <= to;

const text = mustBe('a text', isText);
const name = mustBe('a text that is not empty', (value) => isText(value) && value !== '');
const wholeFrom = (from: number, to?: number) =>
  mustBe(`a whole number of at least ${from}${to === undefined ? '' : ` and at most ${to}`}`, (value) =>
    isWhole(value, from, to),
  );

const RETRIES: { readonly [Field in keyof TaskRetries]-?: FindFieldFault } = {
  maxAttempts: wholeFrom(1, GREATEST_INT),
  retryDelayMs: wholeFrom(0, GREATEST_INT),
  retryFactor: mustBe('a number of at least 1', (value) => isBetween(value, 1, Number.MAX_VALUE)),
  retryMaxDelayMs: wholeFrom(0, GREATEST_INT),
  retryJitter: mustBe('a number from 0 to 1', (value) => isBetween(value, 0, 1)),
};

const required = (findFault: FindFieldFault): FieldRule => ({ isRequired: true, findFault });
const optional = (findFault: FindFieldFault): FieldRule => ({ isRequired: false, findFault });

/** Rules for the fields of an envelope, in the order in which they are checked. */
export const ENVELOPE_RULES: { readonly [Field in keyof TaskEnvelope]-?: FieldRule } = {
  v: required(mustBe('1', (value) => value === 1)),
  jobName: required(findJobNameFault),
  taskId: required(name),
  shardingTotalCount: required(wholeFrom(1, GREATEST_INT)),
  jobParameter: required(text),
  shardingItem: required(wholeFrom(0, GREATEST_INT)),
  shardingParameter: optional(
    mustBe('a text without "," and "=", and without blanks around it', (value) => {
      return isText(value) && /^[^,=]+$/.test(value) && value.trim() === value;
    }),
  ),
  fireTime: required(wholeFrom(0, 8_640_000_000_000_000)),
  source: required(mustBe('NORMAL_TRIGGER, MISFIRE or FAILOVER', (value) => SOURCES.includes(value))),
  trigger: required(
    mustBe('"schedule" or { "id", "parameters" }, both of them texts', (value) => {
      return value === 'schedule' || (isObject(value) && isOperators(value));
    }),
  ),
  attempt: required(wholeFrom(1, GREATEST_INT)),
  launch: required(wholeFrom(1, GREATEST_INT)),
  token: required(mustBe('at most 19 decimal digits, as a text', (value) => isText(value) && TOKEN.test(value))),
  tokenEpoch: required(wholeFrom(0)),
  run: required(name),
  props: required(findPropsFault),
  template: optional(name),
  retries: optional(findRetriesFault),
  checkpoint: optional(() => undefined),
  timeoutMs: optional(wholeFrom(1)),
  graceMs: required(wholeFrom(0)),
  traceparent: optional(
    mustBe("a text as W3C's traceparent header", (value) => isText(value) && TRACEPARENT.test(value)),
  ),
  channel: optional(wholeFrom(3, GREATEST_INT)),
  report: optional(name),
};

function isOperators({ id, parameters }: Readonly<Record<string, unknown>>): boolean {
  return isText(id) && id !== '' && (parameters === undefined || isText(parameters));
}

// Messages omit the values, which may be addresses with keys.
function findPropsFault(props: unknown): string | undefined {
  if (!isObject(props)) return `must be an object of texts, but is ${Array.isArray(props) ? 'a list' : typeof props}`;
  const wrong = Object.keys(props).find((key) => !isText(props[key]));
  return wrong === undefined ? undefined : `must be an object of texts, but ${show(wrong)} is ${typeof props[wrong]}`;
}

function findRetriesFault(retries: unknown): string | undefined {
  if (!isObject(retries)) return `must be an object, but is ${show(retries)}`;
  for (const [field, findFault] of Object.entries(RETRIES)) {
    const fault = findFault(retries[field]);
    if (fault !== undefined) return `must have a usable ${field}, which ${fault}`;
  }
  return undefined;
}
