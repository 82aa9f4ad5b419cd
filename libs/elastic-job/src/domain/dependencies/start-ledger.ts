import type { FireTimes, Span } from '../catch-up.decision.js';
import type { JobName } from '../trigger.js';
import { readVersioned } from './versioned-text.js';

/** What a job has that is started after others: the text of `after`. The jobs before it write it as they end. */
export interface StartLedger {
  /** The jobs that it waits for. */
  readonly parents: readonly JobName[];
  /** By fire time, ascending: which of the parents have succeeded so far. */
  readonly pending: ReadonlyMap<number, readonly JobName[]>;
  /** The last ones, ascending. */
  readonly starts: readonly Start[];
}

/** A job was started. All times in milliseconds since the epoch. */
export interface Start {
  /** The fire time of the parents' runs. */
  readonly fireTime: number;
  /** When the last of them was complete, by the clock of whoever settled it. */
  readonly at: number;
}

/** So many starts wait for a job that does not keep up, or that nobody runs at the moment. */
export const KEPT_STARTS = 100;
const VERSION = 1;

/**
 * Takes in that all items of a parent's run have succeeded. With the last of the parents the job is started. A start ends
 * whatever was pending before it, since no parent comes back to an earlier fire time.
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
    return { parents, pending: new Map(later), starts: [...starts, { fireTime, at }].slice(-KEPT_STARTS) };
  }
  const noted = [...pending, [fireTime, [...done, parent]] as const];
  const ascending = [...new Map(noted)].toSorted(([a], [b]) => a - b);
  return { parents, pending: new Map(ascending.slice(-KEPT_STARTS)), starts };
}

/** The job waits for others from now on. What is pending was so for those before. */
export function withParents({ starts }: StartLedger, parents: readonly JobName[]): StartLedger {
  return { parents, pending: new Map(), starts };
}

/** The starts, as what an item owes. */
export function fireTimesOf(starts: readonly Start[]): FireTimes {
  const times = starts.map(({ fireTime }) => fireTime);
  return {
    next: (after) => times.find((time) => time > after),
    latest: (notAfter, after) => times.findLast((time) => time > after && time <= notAfter),
  };
}

/** The fire times of the starts that came within some spans: one span each. */
export function spansOfStarts(starts: readonly Start[], spans: readonly Span[]): readonly Span[] {
  return starts
    .filter(({ at }) => spans.some(({ after, until }) => after < at && at <= until))
    .map(({ fireTime }) => ({ after: fireTime - 1, until: fireTime }));
}

export const NO_STARTS: StartLedger = { parents: [], pending: new Map(), starts: [] };

export function formatStartLedger({ parents, pending, starts }: StartLedger): string {
  const texts = starts.map(({ fireTime, at }) => [fireTime, at]);
  return JSON.stringify({ v: VERSION, parents, pending: [...pending], starts: texts });
}

/** @returns undefined for what a version wrote that this one cannot judge */
export function parseStartLedger(text: string): StartLedger | undefined {
  const { parents, pending, starts } = readVersioned(text, VERSION) ?? {};
  const isWhole = isTexts(parents) && Array.isArray(starts) && Array.isArray(pending);
  if (!isWhole || !starts.every(isStart) || !pending.every(isPending)) return undefined;
  return { parents, pending: new Map(pending), starts: starts.map(([fireTime, at]) => ({ fireTime, at })) };
}

function isPending(entry: unknown): entry is readonly [number, readonly JobName[]] {
  return Array.isArray(entry) && typeof entry[0] === 'number' && isTexts(entry[1]);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isStart(entry: unknown): entry is readonly [number, number] {
  return Array.isArray(entry) && typeof entry[0] === 'number' && typeof entry[1] === 'number';
}
