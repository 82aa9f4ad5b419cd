import { treeAt } from '../calm.js';
import { indexOf, type History } from '../history.js';
import type { Violation } from './invariant.js';

/** 14. When all have left, nothing of them remains: no timer, and no node but those that outlive instances. */
export function check14NoLitter(history: History): Violation[] {
  const over = history.of('over').at(-1);
  if (over === undefined) return [];
  const { at, pendingTimers } = over;
  const violations: Violation[] = [];
  // Timers of a process that died stay in the simulation's time line.
  const hasDied = history.of('fault').some(({ fault }) => fault === 'crash');
  if (pendingTimers > 0 && !hasDied) {
    violations.push({ at, message: `${pendingTimers} timers are left`, about: 'over' });
  }
  const tree = treeAt(history, Infinity);
  for (const path of tree.paths()) {
    const { node } = history.nodeOf(path);
    const isTransient =
      node.kind === 'instance' ||
      node.kind === 'leader' ||
      /\/sessions\/.|\/(running|failovering|failover)$/.test(path);
    if (!isTransient || isLeftByDeafHandler(history, tree.get(path)!.data)) continue;
    if (path.endsWith('/leader/failover')) continue;
    violations.push({ at, message: `${path} is left behind`, about: path });
  }
  return violations;
}

/** 15. Every run is told as begun and, unless its process died, as settled: nothing is silent. */
export function check15NothingSilent(history: History): Violation[] {
  const told = new Set<string>();
  for (const { instance, event } of history.of('event')) {
    if (event.kind === 'begun') {
      for (const item of event.items)
        told.add(`begun ${instance} ${event.trigger.jobName}/${item} ${event.trigger.fireTime}`);
    } else if (event.kind === 'settled') {
      told.add(`settled ${instance} ${event.trigger.jobName}/${event.item} ${event.trigger.fireTime}`);
    }
  }
  const dead = new Set(history.of('fault').flatMap(({ fault, instance }) => (fault === 'crash' ? [instance] : [])));
  return history.runs.flatMap((run) => {
    const what = `${run.instance} ${run.jobName}/${run.item} ${run.fireTime}`;
    const missing = [
      ...(told.has(`begun ${what}`) ? [] : ['begun']),
      ...(told.has(`settled ${what}`) || run.endedAt === undefined || dead.has(run.instance) ? [] : ['settled']),
    ];
    return missing.map((word) => ({
      at: run.at,
      message: `run ${run.run} was never told as ${word}`,
      about: `"run":${run.run}`,
    }));
  });
}

// What a handler that heeds nothing had not returned by the drain's deadline is left to the sweep of those who stay.
function isLeftByDeafHandler(history: History, holder: string): boolean {
  return history.runs.some(({ instance, isDeaf }) => isDeaf && instance === indexOf(holder));
}
