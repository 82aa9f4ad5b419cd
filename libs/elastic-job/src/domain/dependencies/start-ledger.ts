import type { JobName } from '../cluster/index.js';
import { fieldsBut, isInstant, readFields } from '../node-text.js';
import type { FireTimes, Span } from '../run/index.js';

/**
 * Starts of a job that runs after others: the text of `after`. The parents write it as they end. Fields that a reader
 * does not know are on the object as well, and stay there through every write.
 */
export interface StartLedger {
  /** The parents: jobs that this one waits for. */
  readonly parents: readonly JobName[];
  /** Parents that have succeeded so far, by fire time, ascending. */
  readonly pending: ReadonlyMap<number, readonly JobName[]>;
  /** The latest starts, ascending. */
  readonly starts: readonly Start[];
}

/** One start of the job. All times in milliseconds since the epoch. */
export interface Start {
  /** The fire time of the parents' runs. */
  readonly fireTime: number;
  /**
   * When the last of them was complete, by the time that instances share. For an early run the fire time takes its
   * place.
   */
  readonly at: number;
}

/**
 * Most starts that wait for a job that is behind or has no instance. It covers what a job catches up on
 * (`misfireLimit`) and what `missed` counts, so a dropped start is beyond both.
 */
export const KEPT_STARTS = 2_000;
/** Most starts whose times the node keeps. */
const TIMED_STARTS = 100;
/** Most runs by which one parent may be ahead of another: as many as a job catches up on. */
export const KEPT_PENDING = 1_000;
const VERSION = 1;
const FIELDS = ['v', 'parents', 'pending', 'starts', 'earlier'];

/**
 * Notes that all items of a parent's run have succeeded. The last parent starts the job. A start drops what was pending
 * before it, since no parent comes back to an earlier fire time.
 * @param at now
 * @returns the same object if nothing has changed
 */
export function noteParent(ledger: StartLedger, parent: JobName, fireTime: number, at: number): StartLedger {
  const { parents, pending, starts } = ledger;
  const isOver = fireTime <= (starts.at(-1)?.fireTime ?? -Infinity);
  const done = pending.get(fireTime) ?? [];
  if (isOver || !parents.includes(parent) || done.includes(parent)) return ledger;
  if (parents.every((name) => name === parent || done.includes(name))) {
    const later = [...pending].filter(([time]) => time > fireTime);
    return { ...ledger, pending: new Map(later), starts: [...starts, { fireTime, at }].slice(-KEPT_STARTS) };
  }
  const noted = [...pending, [fireTime, [...done, parent]] as const];
  const ascending = [...new Map(noted)].toSorted(([a], [b]) => a - b);
  return { ...ledger, pending: new Map(ascending.slice(-KEPT_PENDING)) };
}

/** Replaces the parents. Pending fire times belonged to the former parents, and are dropped. */
export function withParents(ledger: StartLedger, parents: readonly JobName[]): StartLedger {
  return { ...ledger, parents, pending: new Map() };
}

/** The starts as a set of fire times that items owe. */
export function fireTimesOf(starts: readonly Start[]): FireTimes {
  const times = starts.map(({ fireTime }) => fireTime);
  return {
    next: (after) => times.find((time) => time > after),
    latest: (notAfter, after) => times.findLast((time) => time > after && time <= notAfter),
  };
}

/** One span for each start that came within the given spans: it holds the start's fire time alone. */
export function spansOfStarts(starts: readonly Start[], spans: readonly Span[]): readonly Span[] {
  return starts
    .filter(({ at }) => spans.some(({ after, until }) => after < at && at <= until))
    .map(({ fireTime }) => ({ after: fireTime - 1, until: fireTime }));
}

export const NO_STARTS: StartLedger = { parents: [], pending: new Map(), starts: [] };

export function formatStartLedger(ledger: StartLedger): string {
  const { parents, pending, starts } = ledger;
  const earlier = formatFireTimes(starts.slice(0, -TIMED_STARTS).map(({ fireTime }) => fireTime));
  const timed = starts.slice(-TIMED_STARTS).map(({ fireTime, at }) => [fireTime, at]);
  const fields = { v: VERSION, parents, pending: [...pending], starts: timed, ...fieldsBut(ledger, FIELDS) };
  return JSON.stringify(earlier.length === 0 ? fields : { ...fields, earlier });
}

/**
 * Reads a ledger written by any version, by the fields that this one knows.
 * @returns undefined for another or a damaged text
 */
export function parseStartLedger(text: string): StartLedger | undefined {
  const fields = readFields(text) ?? {};
  const { parents, pending, starts } = fields;
  const isWhole = isTexts(parents) && Array.isArray(starts) && Array.isArray(pending);
  if (!isWhole || !starts.every(isStart) || !pending.every(isPending)) return undefined;
  const earlier = parseFireTimes(fields['earlier'] ?? [], KEPT_STARTS - TIMED_STARTS) ?? [];
  const timed = starts.map(([fireTime, at]) => ({ fireTime, at }));
  const untimed = earlier.map((fireTime) => ({ fireTime, at: fireTime }));
  const all = [...untimed, ...timed];
  if (!all.every(({ fireTime }) => isInstant(fireTime)) || !isAscending(all)) return undefined;
  return { ...fieldsBut(fields, FIELDS), parents, pending: new Map(pending), starts: all };
}

function isAscending(starts: readonly Start[]): boolean {
  return starts.every(({ fireTime }, index) => index === 0 || fireTime > starts[index - 1]!.fireTime);
}

function isPending(entry: unknown): entry is readonly [number, readonly JobName[]] {
  return Array.isArray(entry) && isInstant(entry[0]) && isTexts(entry[1]);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isStart(entry: unknown): entry is readonly [number, number] {
  return Array.isArray(entry) && Number.isSafeInteger(entry[0]) && isInstant(entry[1]);
}

/**
 * Encodes ascending fire times as a short list of numbers: the first one, then pairs of a step and its repetitions.
 * Most steps of a schedule are equal.
 */
export function formatFireTimes([first, ...others]: readonly number[]): readonly number[] {
  if (first === undefined) return [];
  const runs: [number, number][] = [];
  let last = first;
  for (const time of others) {
    const run = runs.at(-1);
    if (run?.[0] === time - last) run[1] += 1;
    else runs.push([time - last, 1]);
    last = time;
  }
  return [first, ...runs.flat()];
}

/**
 * Decodes what `formatFireTimes` has written.
 * @param most limit of the fire times that are read
 * @returns undefined for anything else, or for a longer list
 */
export function parseFireTimes(value: unknown, most: number): readonly number[] | undefined {
  if (!Array.isArray(value) || !value.every((one) => Number.isSafeInteger(one))) return undefined;
  const [first, ...runs]: readonly number[] = value;
  if (first === undefined) return [];
  const times = [first];
  for (let i = 0; i < runs.length; i += 2) {
    const [step, count] = [runs[i]!, runs[i + 1] ?? 0];
    if (step <= 0 || count <= 0 || times.length + count > most) return undefined;
    for (let n = 0; n < count; n += 1) times.push(times.at(-1)! + step);
  }
  return times;
}
