/**
 * An envelope as the text of one variable, written by a scheduler and read by a worker. Pure.
 *
 * - `parseTaskEnvelope` accepts every result of `formatTaskEnvelope`, and returns the same envelope.
 * - A value that breaks a rule is neither written nor accepted: the error names the field.
 * - `findTaskAnswers` never fails: a worker that cannot read the rest still reports that on the given way.
 */
import { isObject, show } from '../domain/index.js';
import { NewerTaskEnvelopeError, TaskEnvelopeError } from './task-envelope.errors.js';
import { MOST_ENVELOPE_BYTES, type TaskEnvelope } from './task-envelope.js';
import { ENVELOPE_RULES } from './task-envelope.rules.js';
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
