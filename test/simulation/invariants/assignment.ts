import type { History } from '../history.js';
import { Replay } from '../replay.js';
import { startedTimes } from './dependents.js';
import { itemKey, timeOf, type Violation } from './invariant.js';

/**
 * 20. No assignment is decided from a view that is older than its trigger: each item was its instance's at some moment
 * since the trigger fell due, and an item that was its own all that time is in it.
 */
export function check20FreshAssignment(history: History): Violation[] {
  const violations: Violation[] = [];
  const ownership = ownersOverTime(history);
  const started = startedTimes(history);
  const stepped = new Set(
    history.of('fault').flatMap(({ fault, instance }) => (fault.startsWith('clock jumps') ? [instance] : [])),
  );
  for (const { at, instance, wall, event } of history.of('event')) {
    if (event.kind !== 'triggered' || event.trigger.origin !== 'schedule' || stepped.has(instance)) continue;
    const { jobName, fireTime } = event.trigger;
    // What others have started fell due then. A drifting clock counts the time since by its own seconds.
    const since = started.get(jobName)?.get(fireTime) ?? at - (wall - fireTime) * 1.05 - 5;
    for (const item of event.items) {
      const owners = ownership.get(itemKey(jobName, item)) ?? [];
      if (owners.some(({ from, to, owner }) => owner === instance && from <= at && to >= since)) continue;
      const message = `instance ${instance} took ${itemKey(jobName, item)} for ${timeOf(fireTime)}, which is not its own since`;
      violations.push({ at, message, about: `/${jobName}/sharding/${item}/instance` });
    }
  }
  return violations;
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
