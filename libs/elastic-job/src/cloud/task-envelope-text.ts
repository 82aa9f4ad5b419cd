/**
 * An envelope as the text of one variable, written by a scheduler and read by a worker. Pure.
 *
 * - `parseTaskEnvelope` accepts every result of `formatTaskEnvelope`, and returns the same envelope.
 * - A value that breaks a rule is neither written nor accepted: the error names the field.
 * - `findTaskAnswers` never fails: a worker that cannot read the rest still reports that on the given way.
 */
import { findJobNameFault, isObject, show } from '../domain/index.js';
import {
  MOST_ENVELOPE_BYTES,
  NewerTaskEnvelopeError,
  type TaskEnvelope,
  TaskEnvelopeError,
  type TaskRetries,
} from './task-envelope.js';
import type { TaskAnswers } from './task-order.js';

/** The version that is written, and the latest one that can be read. */
const VERSION = 1;
/** Least bytes of a field that an error names if the whole is too large. */
const LARGE_PART_BYTES = 1_024;
/** Part of an envelope that a checkpoint leaves free. */
const RESERVED_BYTES = 8_192;

/** @throws {TaskEnvelopeError} for a field that breaks its rule, and for a text of more than 32 KiB */
export function formatTaskEnvelope(envelope: TaskEnvelope): string {
  assertSound({ ...envelope });
  const text = JSON.stringify(envelope);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MOST_ENVELOPE_BYTES) return text;
  const parts = largeParts(envelope);
  const list = enumerated(parts.map(([field, size]) => `${field} (${size})`));
  throw new TaskEnvelopeError(
    undefined,
    `has ${bytes} bytes, and may have ${MOST_ENVELOPE_BYTES}; most of it is ${list}: ` +
      remedyFor(
        parts.map(([field]) => field),
        envelope.shardingItem,
      ),
  );
}

/**
 * @throws {NewerTaskEnvelopeError} if a later release has written it
 * @throws {TaskEnvelopeError} for any other fault
 */
export function parseTaskEnvelope(text: string): TaskEnvelope {
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_ENVELOPE_BYTES)
    throw new TaskEnvelopeError(undefined, `has ${bytes} bytes, and may have ${MOST_ENVELOPE_BYTES}`);
  const given = readJson(text);
  const { v } = given;
  if (typeof v === 'number' && v > VERSION) throw new NewerTaskEnvelopeError(v, VERSION);
  assertSound(given);
  return given;
}

/** The ways in which a task may answer, also from an envelope of a later version or with faults. */
export function findTaskAnswers(text: string): TaskAnswers {
  try {
    const { channel, report } = readJson(text);
    const isSound = (field: 'channel' | 'report', value: unknown) =>
      value !== undefined && ENVELOPE_RULES[field].findFault(value) === undefined;
    return {
      channel: isSound('channel', channel) ? Number(channel) : undefined,
      report: isSound('report', report) ? String(report) : undefined,
    };
  } catch {
    return {};
  }
}

/**
 * Most bytes of a checkpoint that the next envelopes of an item can carry: their instants, ids and parameters may be
 * longer than those of this one.
 * @param envelope of a run of the item, without checkpoint and answers
 */
export function mostCheckpointBytes(envelope: Omit<TaskEnvelope, 'checkpoint' | keyof TaskAnswers>): number {
  return Math.max(0, MOST_ENVELOPE_BYTES - Buffer.byteLength(JSON.stringify(envelope)) - RESERVED_BYTES);
}

function readJson(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TaskEnvelopeError(undefined, 'must be JSON', { cause });
  }
  if (!isObject(value)) throw new TaskEnvelopeError(undefined, 'must be a JSON object');
  return value;
}

function assertSound(
  given: Readonly<Record<string, unknown>>,
): asserts given is Readonly<Record<string, unknown>> & TaskEnvelope {
  for (const [field, { isRequired, findFault }] of Object.entries(ENVELOPE_RULES)) {
    if (given[field] === undefined && !isRequired) continue;
    const fault = given[field] === undefined ? 'is missing' : findFault(given[field]);
    if (fault !== undefined) throw new TaskEnvelopeError(field, fault);
  }
  const { shardingItem, shardingTotalCount } = given;
  if (Number(shardingItem) >= Number(shardingTotalCount)) {
    const problem = `must be less than shardingTotalCount (${show(shardingTotalCount)}), but is ${show(shardingItem)}`;
    throw new TaskEnvelopeError('shardingItem', problem);
  }
}

/** The fields that fill an envelope, with their bytes, the largest one first. */
function largeParts(envelope: TaskEnvelope): readonly (readonly [string, number])[] {
  return Object.entries(envelope)
    .map(([field, value]) => [field, Buffer.byteLength(JSON.stringify(value) ?? '')] as const)
    .filter(([, bytes]) => bytes >= LARGE_PART_BYTES)
    .toSorted((a, b) => b[1] - a[1]);
}

/** A checkpoint was saved while the rest was shorter, and no task can begin that would clear it. */
function remedyFor(fields: readonly string[], item: number): string {
  if (!fields.includes('checkpoint')) return 'hand over where the data is instead of the data';
  const others = fields.filter((field) => field !== 'checkpoint');
  const shorten = `shorten ${enumerated(others)}, so that the item goes on from its checkpoint, or `;
  const erase = `delete the node "sharding/${item}/checkpoint" below the job, so that its next run begins anew`;
  return others.length > 0 ? shorten + erase : erase;
}

function enumerated(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1');
}

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
const ENVELOPE_RULES: { readonly [Field in keyof TaskEnvelope]-?: FieldRule } = {
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
