import { beginsWithHandOver, serverIpOf } from '../domain/index.js';
import type {
  FireTimeCell,
  FireTimeColumn,
  FireTimesAnswer,
  JobHistoryEvent,
  JobRun,
  MissedFireTimes,
} from './job-history.js';

/** A run of a fire time: of the schedule, or of an operator's re-run. */
export type FireTimeRun = Pick<JobRun, 'begunAt' | 'cause' | 'id' | 'outcome' | 'shardingItem'> & {
  readonly fireTime: number;
  readonly isRerun: boolean;
};

/** Fire times that were not begun. */
export type MissedStretch = Pick<MissedFireTimes, 'fireTime' | 'items' | 'reason' | 'since'> & {
  /** True if it is about more items than are named. */
  readonly isOfMany: boolean;
};

/** Rows of the history that tell of a window of fire times. */
export interface FireTimeEvidence {
  /** Instants between which fire times are looked at; `to` itself is excluded. */
  readonly from: number;
  readonly to: number;
  /** Fire times by today's schedule, from `expectedFrom` on. */
  readonly expected: readonly number[];
  readonly expectedFrom: number;
  readonly shardingTotalCount: number;
  readonly runs: readonly FireTimeRun[];
  readonly missed: readonly MissedStretch[];
  /** Other events of the job, and `history-dropped`. In any order. */
  readonly events: readonly JobHistoryEvent[];
  /** Begin of the oldest run that is kept, of any job; undefined if none is. */
  readonly keptFrom: number | undefined;
  readonly now: number;
  /** Most columns, the newest ones. */
  readonly limit: number;
}

/** Time after a fire time in which its rows may still be on their way. */
const RECENT_MS = 60_000;
/** Time after a fire time in which dropped rows may have been its own. */
const DROPPED_MS = 3_600_000;
/** Time in which an instance that has joined tells of Java peers. */
const TELLS_MS = 60_000;
/** Events that an instance in the job tells. */
const OF_PRESENCE: readonly string[] = ['joined', 'left', 'server-switched', 'skipped'];

/**
 * Decides what became of each item at each fire time. A cell is `done` only by a run that has succeeded, and `failed`,
 * `running` and `missed` only by a row that says so. What no row tells is `unknown`, with the likeliest reason.
 */
export function judgeFireTimes(given: FireTimeEvidence): Omit<FireTimesAnswer, 'expectedFrom'> {
  const evidence = { ...given, events: given.events.toSorted((a, b) => a.at - b.at) };
  const { expected, from, limit, missed, runs, to } = evidence;
  const ends = missed.flatMap(({ fireTime, since }) => [since, fireTime]);
  const known = [...expected, ...runs.map(({ fireTime }) => fireTime), ...ends];
  const times = [...new Set(known)].filter((time) => time >= from && time < to).toSorted((a, b) => a - b);
  const runsByTime = byKey(runs, ({ fireTime }) => fireTime);
  const running = byKey(
    runs.filter(({ outcome }) => outcome === 'running'),
    ({ shardingItem }) => shardingItem,
  );
  // An earlier run of the item goes on, so the fire time may still be begun.
  const isBusy = (item: number, fireTime: number) => running.get(item)?.some((run) => run.fireTime < fireTime) ?? false;
  const isExpected = new Set(expected);
  const columns = times.slice(-limit).map((fireTime): FireTimeColumn => ({
    fireTime,
    items: cellsOf(evidence, fireTime, runsByTime.get(fireTime) ?? [], isBusy),
    isExpected: isExpected.has(fireTime),
  }));
  return { columns, isCut: times.length > limit };
}

function cellsOf(
  evidence: FireTimeEvidence,
  fireTime: number,
  runs: readonly FireTimeRun[],
  isBusy: (item: number, fireTime: number) => boolean,
): FireTimeCell[] {
  const stretches = evidence.missed.filter((stretch) => stretch.since <= fireTime && fireTime <= stretch.fireTime);
  const named = [...runs.map(({ shardingItem }) => shardingItem), ...stretches.flatMap(({ items }) => items)];
  const total = fireTime >= evidence.expectedFrom ? evidence.shardingTotalCount : 0;
  const runsByItem = byKey(runs, ({ shardingItem }) => shardingItem);
  // Without a run, and without a row of a missed fire time, all items of a job have the same fate.
  let unwritten: FireTimeCell | undefined;
  return Array.from({ length: Math.max(total, ...named.map((item) => item + 1)) }, (_, item) => {
    const ofItem = runsByItem.get(item) ?? [];
    const stretch = stretches.find(({ isOfMany, items }) => isOfMany || items.includes(item));
    const written = cellOf(ofItem, stretch);
    if (written !== undefined) return written;
    if (isBusy(item, fireTime)) return { fate: 'unknown', reason: 'busy' };
    return (unwritten ??= unwrittenCell(evidence, fireTime, runs.length > 0 || stretches.length > 0));
  });
}

/** The cell of an item that rows tell of. */
function cellOf(runs: readonly FireTimeRun[], stretch: MissedStretch | undefined): FireTimeCell | undefined {
  const good = runs.filter(({ outcome }) => outcome === 'succeeded');
  const first = good.find(({ isRerun }) => !isRerun) ?? good[0];
  if (first !== undefined) return { fate: 'done', run: first.id, ...(first.isRerun && { isRerun: true }) };
  const latest = runs.toSorted((a, b) => b.begunAt - a.begunAt)[0];
  if (latest === undefined) return stretch && { fate: 'missed', reason: stretch.reason };
  const cell = cellOfRun(latest);
  // An item that was handed over, and whose fire time was then given up, was missed.
  return cell.fate === 'unknown' && stretch !== undefined ? { ...cell, fate: 'missed', reason: stretch.reason } : cell;
}

/** The cell by a run that has not succeeded. */
function cellOfRun({ cause, id, outcome }: FireTimeRun): FireTimeCell {
  const reason = cause === undefined ? {} : { reason: cause };
  switch (outcome) {
    case 'running':
      return { fate: 'running', run: id };
    case 'failed':
      return { fate: 'failed', run: id, ...reason };
    case 'aborted':
      return beginsWithHandOver(`${cause}:`)
        ? { fate: 'unknown', run: id, ...reason }
        : { fate: 'failed', run: id, ...reason };
    case 'fenced':
    case 'lost':
      return { fate: 'unknown', run: id, reason: outcome };
    case 'succeeded':
      return { fate: 'done', run: id };
    default:
      return outcome satisfies never;
  }
}

/** @param hasRows other items have rows for the fire time */
function unwrittenCell(evidence: FireTimeEvidence, fireTime: number, hasRows: boolean): FireTimeCell {
  const { events, keptFrom, now } = evidence;
  if (hasJavaPeers(events, fireTime)) return { fate: 'unknown', reason: 'java-peers' };
  if (keptFrom === undefined || fireTime < keptFrom) return { fate: 'unknown', reason: 'not-kept' };
  const isDropped = ({ at, kind }: JobHistoryEvent) =>
    kind === 'history-dropped' && at >= fireTime && at <= fireTime + DROPPED_MS;
  if (events.some(isDropped)) return { fate: 'unknown', reason: 'rows-dropped' };
  const state = stateOf(events, fireTime);
  if (state === 'disabled' && !hasRows) return { fate: 'disabled' };
  if (state === 'empty') return { fate: 'unknown', reason: 'no-instance' };
  return { fate: 'unknown', reason: now - fireTime < RECENT_MS ? 'recent' : 'not-written' };
}

/**
 * True if an instance has told of Java peers, and none has joined since which tells of none. That they have gone is
 * told by nobody.
 */
function hasJavaPeers(events: readonly JobHistoryEvent[], fireTime: number): boolean {
  const told = latestOf(events, 'mixed', fireTime);
  return told !== undefined && (latestOf(events, 'joined', fireTime - TELLS_MS) ?? 0) <= told;
}

function latestOf(events: readonly JobHistoryEvent[], kind: string, until: number): number | undefined {
  const times = events.filter((event) => event.kind === kind && event.at <= until).map(({ at }) => at);
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * `disabled`: an operator had disabled the servers of all instances that were in the job. `empty`: all that are known
 * had left. Undefined: neither is known, as after a crash, which the one that has died does not tell.
 */
function stateOf(events: readonly JobHistoryEvent[], fireTime: number): 'disabled' | 'empty' | undefined {
  const present = new Set<string>();
  const disabled = new Set<string>();
  let isTold = false;
  for (const event of events) {
    const { at, instance, kind } = event;
    // A trigger is skipped after its fire time has come.
    if (instance === undefined || (at > fireTime && event.fireTime !== fireTime)) continue;
    if (!OF_PRESENCE.includes(kind)) continue;
    isTold = true;
    if (kind === 'left') present.delete(instance);
    else present.add(instance);
    if (isSwitchedOff(event)) disabled.add(serverIpOf(instance));
    else if (kind === 'server-switched') disabled.delete(serverIpOf(instance));
  }
  if (!isTold) return undefined;
  if (present.size === 0) return 'empty';
  return [...present].every((instance) => disabled.has(serverIpOf(instance))) ? 'disabled' : undefined;
}

/** A status other than ENABLED counts as disabled. */
function isSwitchedOff({ detail, kind }: JobHistoryEvent): boolean {
  if (kind === 'server-switched') return detail['status'] !== 'ENABLED';
  return (
    kind === 'skipped' && typeof detail['reason'] === 'string' && /^server \S+ is disabled$/.test(detail['reason'])
  );
}

function byKey<Key, Value>(values: readonly Value[], keyOf: (value: Value) => Key): ReadonlyMap<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
