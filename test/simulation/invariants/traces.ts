import { dueTimes } from '../calm.js';
import { indexOf, type History } from '../history.js';
import { hungHandlers } from './limits.js';
import { itemKey, timeOf, type Violation } from './invariant.js';
import { silentDrops } from './overflow.js';
import { isScheduled } from './targets.js';

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
  const tree = history.treeAt(Infinity);
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

/**
 * 15. Nothing is silent: every run is told as begun and, unless its process died, as settled; every fire time that is passed
 * over is told as missed, once, and not begun after all; so is every handler that heeds no signal,
 * and every orphan that found no place in the queue.
 */
export function check15NothingSilent(history: History): Violation[] {
  return [...silentRuns(history), ...silentMisses(history), ...hungHandlers(history), ...silentDrops(history)];
}

function silentMisses(history: History): Violation[] {
  const missed = missedTimes(history);
  return history.calmItems.flatMap(({ job, item, begins }) => {
    const scheduled = begins.filter(isScheduled);
    const inCalm = scheduled.filter(({ at }) => at > job.from && at < job.to - history.promptMs);
    const newest = Math.max(...inCalm.map(({ record }) => record.target.fireTime));
    const begun = new Set(scheduled.map(({ record }) => record.target.fireTime));
    return dueTimes(job.schedule, job.from + job.skewMs, newest - 1).flatMap((due) => {
      const told = missed.get(`${itemKey(job.jobName, item)} ${due}`) ?? 0;
      if (told + (begun.has(due) ? 1 : 0) === 1) return [];
      const what = begun.has(due) ? 'begun' : 'not begun';
      const message = `${itemKey(job.jobName, item)} was ${what} for ${timeOf(due)}, and ${told} times told as missed`;
      return [{ at: due, message, about: `/${job.jobName}/sharding/${item}` }];
    });
  });
}

/** How often each fire time of each item was told as missed. */
function missedTimes(history: History): ReadonlyMap<string, number> {
  const told = new Map<string, number>();
  for (const { event } of history.of('event')) {
    if (event.kind !== 'missed') continue;
    for (const item of event.items) {
      const key = `${itemKey(event.jobName, item)} ${event.fireTime}`;
      told.set(key, (told.get(key) ?? 0) + 1);
    }
  }
  return told;
}

function silentRuns(history: History): Violation[] {
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
