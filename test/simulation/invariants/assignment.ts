import type { History } from '../history.js';
import { Replay } from '../replay.js';
import { startedTimes } from './dependents.js';
import { itemKey, timeOf, type Violation } from './invariant.js';

/**
 * 20. No assignment is decided from a view that is older than its trigger. Each item belonged to its instance at some
 * moment since the trigger fell due, and an item that was its own all that time is in it.
 */
export function check20FreshAssignment(history: History): Violation[] {
  const violations: Violation[] = [];
  const ownership = ownersOverTime(history);
  const started = startedTimes(history);
  for (const { at, instance, wall, event } of history.of('event')) {
    if (event.kind !== 'triggered' || event.trigger.origin !== 'schedule') continue;
    const { jobName, fireTime } = event.trigger;
    const since = started.get(jobName)?.get(fireTime) ?? dueSince(history, { at, instance, wall, fireTime });
    for (const item of event.items) {
      history.judges(20);
      const owners = ownership.get(itemKey(jobName, item)) ?? [];
      if (owners.some(({ from, to, owner }) => owner === instance && from <= at && to >= since)) continue;
      const what = `${itemKey(jobName, item)} for ${timeOf(fireTime)}`;
      const message = `instance ${instance} took ${what}, which is not its own since`;
      violations.push({ at, message, about: `/${jobName}/sharding/${item}/instance` });
    }
  }
  return violations;
}

/** Longest wait of a trigger for its items, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;
/** Limit, in milliseconds. A host's clock that is further ahead does not count. */
const TOLERANCE_MS = 10_000;

interface Triggered {
  readonly at: number;
  readonly instance: number;
  /** By the host's clock. */
  readonly wall: number;
  readonly fireTime: number;
}

/**
 * Time at which a fire time fell due by the clock that its instance uses, or somewhat earlier: a drifting clock counts
 * its own seconds. The clock is judged as the fire time falls due, and the verdict may change while the trigger waits.
 */
function dueSince(history: History, { at, instance, wall, fireTime }: Triggered): number {
  const byHost = at - Math.max(0, wall - fireTime + setBackMs(history, instance, at)) * 1.05 - 5;
  const isJudged = wall - at > TOLERANCE_MS && !history.trustsNoRegistry(instance, byHost, at);
  return isJudged ? fireTime - TOLERANCE_MS : byHost;
}

/**
 * Time by which a clock was set back while a trigger may have waited, in milliseconds. The trigger seems to have fallen
 * due later by that time.
 */
function setBackMs(history: History, instance: number, at: number): number {
  return history
    .clockSteps(at - LONGEST_WAIT_MS, at)
    .filter((step) => step.instance === instance)
    .reduce((sum, { ms }) => sum + Math.max(0, -ms), 0);
}

interface Ownership {
  readonly owner: number;
  readonly from: number;
  to: number;
}

function ownersOverTime(history: History): ReadonlyMap<string, readonly Ownership[]> {
  const owners = new Map<string, Ownership[]>();
  const tree = new Replay();
  for (const commit of history.commits) {
    tree.apply(commit);
    for (const { kind, path, data } of commit.writes) {
      const { jobName, node } = history.nodeOf(path);
      if (node.kind !== 'item-instance') continue;
      const all = owners.get(itemKey(jobName, node.item)) ?? [];
      const last = all.at(-1);
      if (last !== undefined) last.to = Math.min(last.to, commit.at);
      if (kind !== 'deleted')
        all.push({ owner: Number(/@-@(\d+)-/.exec(data)?.[1]) - 1_000, from: commit.at, to: Infinity });
      owners.set(itemKey(jobName, node.item), all);
    }
  }
  return owners;
}
