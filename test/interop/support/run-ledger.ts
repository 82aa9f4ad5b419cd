import type { PeerEvent } from '@test/support/peers/journal.js';

const SECOND_MS = 1_000;

/** A time in which runs may be missed or doubled: from a membership change until it has settled, in milliseconds. */
export interface FaultWindow {
  readonly from: number;
  /** Undefined: it has not ended. */
  readonly to: number | undefined;
  /** The machine lost time in it, which excuses an irregularity without another cause. */
  readonly isStall?: boolean;
}

/** State of the job's tree that an observer saw from a moment on. */
export interface Observation {
  readonly at: number;
  readonly leader: string | undefined;
  /** The address that owns each item. */
  readonly owners: readonly (string | undefined)[];
  /** The addresses of the registered instances whose processes live. */
  readonly living: readonly string[];
  /** The owners are out of date, or being replaced. */
  readonly isResharding: boolean;
}

/** An item that did not run exactly once in a second. */
export interface Irregularity {
  readonly kind: 'missed' | 'doubled';
  /** The fire time, in milliseconds. */
  readonly second: number;
  readonly item: number;
  readonly runs: readonly PeerEvent[];
  readonly isInWindow: boolean;
}

/**
 * Breaches of the promise of a job of every second: each item runs once in each second from `from` to `to`. A run of
 * ours counts for its fire time. Java does not tell its handlers for which fire time they run, so a run of Java's
 * counts for the second in which it began.
 */
export function irregularities(
  begun: readonly PeerEvent[],
  { from, to, items }: { readonly from: number; readonly to: number; readonly items: number },
  windows: readonly FaultWindow[],
): readonly Irregularity[] {
  const runs = new Map<string, PeerEvent[]>();
  for (const run of begun) {
    const key = `${Math.floor((run.context?.fireTime ?? run.at) / SECOND_MS)} ${run.item}`;
    runs.set(key, [...(runs.get(key) ?? []), run]);
  }
  const found: Irregularity[] = [];
  for (let second = Math.ceil(from / SECOND_MS); (second + 1) * SECOND_MS <= to; second++) {
    for (let item = 0; item < items; item++) {
      const these = runs.get(`${second} ${item}`) ?? [];
      if (these.length === 1) continue;
      const time = second * SECOND_MS;
      const kind = these.length === 0 ? 'missed' : 'doubled';
      found.push({ kind, second: time, item, runs: these, isInWindow: isIn(windows, time) });
    }
  }
  return found;
}

function isIn(windows: readonly FaultWindow[], second: number): boolean {
  return windows.some(({ from, to = Infinity }) => from < second + SECOND_MS && second <= to);
}

/** Describes the state in that second, for messages. */
export function describeIrregularity(
  { kind, second, item, runs }: Irregularity,
  observations: readonly Observation[],
): string {
  const seen = observedIn(observations, second, second + SECOND_MS).map(
    ({ leader, owners, living, isResharding }) =>
      `${isResharding ? 'resharding, ' : ''}led by ${leader}, owned by ${owners[item]}, living ${living.join()}`,
  );
  const where = runs.map(({ peer, at }) => `${peer} +${at - second}`);
  return `${new Date(second).toISOString()} item ${item} ${kind} ${where.join()}: ${[...new Set(seen)].join('; ')}`;
}

/**
 * Cause of a missed or doubled item in a fault window: Java's fault, with its number if it has one, the owner's death,
 * or a stall of the machine. Undefined: the cause is unknown.
 */
export function attribute(
  irregularity: Irregularity,
  observations: readonly Observation[],
  windows: readonly FaultWindow[],
): string | undefined {
  const stalls = windows.filter(({ isStall }) => isStall);
  return causeInTree(irregularity, observations) ?? (isIn(stalls, irregularity.second) ? STALLED : undefined);
}

function causeInTree(
  { kind, second, item, runs }: Irregularity,
  observations: readonly Observation[],
): string | undefined {
  // An instance that waited for sharding at the trigger before begins late, and is still running when this trigger
  // comes.
  const during = observedIn(observations, second - SECOND_MS, second + SECOND_MS);
  const isResharding = during.some((observation) => observation.isResharding);
  const isHandedOver = new Set(during.map(({ owners }) => owners[item])).size > 1;
  if (kind === 'missed') {
    if (during.some(({ owners, living }) => !living.includes(owners[item] ?? ''))) return OWNER_GONE;
    return isResharding || isHandedOver ? '18: instances that wait for sharding miss triggers' : undefined;
  }
  if (isResharding || isHandedOver || new Set(runs.map(({ peer }) => peer)).size > 1) return HANDED_OVER;
  return undefined;
}

/** With failover off this is no fault but expected. A mixed job reshards at a trigger, as Java does. */
const OWNER_GONE =
  'no fault: its owner is gone, and the next trigger after the end of its session has not resharded yet';
const STALLED =
  'no fault: the machine, a process or the registry stalled, and schedulers leave out what comes meanwhile';
const HANDED_OVER =
  'docs/interop.md: a Java peer looks for the flag and begins a moment later; old and new owner run it';

/** States that held at any time in that span. */
function observedIn(observations: readonly Observation[], from: number, to: number): readonly Observation[] {
  return observations.filter(({ at }, index) => at < to && (observations[index + 1]?.at ?? Infinity) > from);
}
