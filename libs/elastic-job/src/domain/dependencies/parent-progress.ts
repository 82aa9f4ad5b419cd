import { fieldsBut, isInstant, readFields } from '../node-text.js';

/** A set of items: bit i stands for item i. */
export type ItemSet = bigint;

export function itemSetOf(items: Iterable<number>): ItemSet {
  let set = 0n;
  for (const item of items) set |= 1n << BigInt(item);
  return set;
}

/**
 * Progress of the runs that other jobs wait for: the text of `dependents`. Every settle writes it against the node's
 * version. Fields that a reader does not know are on the object as well, and stay there through every write.
 */
export interface ParentProgress {
  /** Fire times up to this one are closed: their further ends are ignored. In milliseconds since the epoch. */
  readonly closedUpTo: number;
  /** Progress by fire time, ascending. */
  readonly runs: ReadonlyMap<number, RunProgress>;
}

/** `failed`: an item did not succeed; no child starts after this run. */
type RunProgress = 'failed' | { readonly expected: ItemSet; readonly done: ItemSet };

/** The final end of one item. */
export interface RunNote {
  /** In milliseconds since the epoch. */
  readonly fireTime: number;
  readonly item: number;
  /** The items that the run needs, as seen at the begin of this item: the enabled ones below the total. */
  readonly expected: ItemSet;
  readonly isSucceeded: boolean;
}

/** `failed`: an item did not succeed; `superseded`: some items were never begun, and a later run is complete. */
export type UnmetReason = 'failed' | 'superseded';

/** A run after which no child starts. */
export interface UnmetRun {
  readonly fireTime: number;
  readonly reason: UnmetReason;
}

export interface NotedRuns {
  readonly progress: ParentProgress;
  /** Fire times of the runs that these notes complete: all items have succeeded. Ascending. */
  readonly succeeded: readonly number[];
  readonly unmet: readonly UnmetRun[];
}

/** Most runs that may be open or failed since the last complete one. */
export const KEPT_RUNS = 100;
const VERSION = 1;
const FIELDS = ['v', 'closedUpTo', 'runs'];

/**
 * Counts items that have ended. A run is complete when every item has succeeded that some instance expected as it began
 * a part of the run. An item is begun for fire times in order, so a complete run closes whatever was open before it.
 */
export function noteRuns(before: ParentProgress, notes: readonly RunNote[]): NotedRuns {
  const runs = new Map(before.runs);
  const unmet: UnmetRun[] = [];
  for (const note of notes) {
    const run = runs.get(note.fireTime) ?? { expected: 0n, done: 0n };
    if (note.fireTime <= before.closedUpTo || run === 'failed') continue;
    if (!note.isSucceeded) unmet.push({ fireTime: note.fireTime, reason: 'failed' });
    runs.set(note.fireTime, note.isSucceeded ? withDone(run, note) : 'failed');
  }
  const ascending = [...runs].toSorted(([a], [b]) => a - b);
  const succeeded = ascending.filter(([, run]) => isComplete(run)).map(([fireTime]) => fireTime);
  const surplus = ascending.at(-KEPT_RUNS - 1)?.[0] ?? before.closedUpTo;
  const closedUpTo = Math.max(before.closedUpTo, surplus, succeeded.at(-1) ?? -Infinity);
  for (const [fireTime, run] of ascending) {
    const isGivenUp = fireTime <= closedUpTo && run !== 'failed' && !isComplete(run);
    if (isGivenUp) unmet.push({ fireTime, reason: 'superseded' });
  }
  const open = new Map(ascending.filter(([fireTime]) => fireTime > closedUpTo));
  return { progress: { ...before, closedUpTo, runs: open }, succeeded, unmet };
}

export function formatParentProgress(progress: ParentProgress): string {
  const { closedUpTo, runs } = progress;
  const texts = [...runs].map(([fireTime, run]) => [
    fireTime,
    run === 'failed' ? run : [run.expected.toString(16), run.done.toString(16)],
  ]);
  return JSON.stringify({ v: VERSION, closedUpTo, runs: texts, ...fieldsBut(progress, FIELDS) });
}

/**
 * Reads progress written by any version, by the fields that this one knows.
 * @returns undefined for another or a damaged text
 */
export function parseParentProgress(text: string): ParentProgress | undefined {
  const value = readFields(text);
  if (value === undefined || !isInstant(value['closedUpTo']) || !Array.isArray(value['runs'])) return undefined;
  const runs = new Map<number, RunProgress>();
  const entries: readonly unknown[] = value['runs'];
  for (const entry of entries) {
    const [fireTime, run]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    const progress = parseRun(run);
    if (!isInstant(fireTime) || progress === undefined) return undefined;
    runs.set(fireTime, progress);
  }
  return { ...fieldsBut(value, FIELDS), closedUpTo: value['closedUpTo'], runs };
}

function withDone({ expected, done }: Exclude<RunProgress, 'failed'>, note: RunNote): RunProgress {
  return { expected: expected | note.expected, done: done | itemSetOf([note.item]) };
}

function isComplete(run: RunProgress): boolean {
  return run !== 'failed' && (run.expected & ~run.done) === 0n;
}

function parseRun(run: unknown): RunProgress | undefined {
  if (run === 'failed') return run;
  const [expected, done] = Array.isArray(run) ? run.map(parseItemSet) : [];
  return expected === undefined || done === undefined ? undefined : { expected, done };
}

/** Reads a set. @returns undefined if the text stands for no set */
function parseItemSet(text: unknown): ItemSet | undefined {
  return typeof text === 'string' && /^[0-9a-f]+$/.test(text) ? BigInt(`0x${text}`) : undefined;
}
