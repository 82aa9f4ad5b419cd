import { dueTimes, existence } from '../calm.js';
import { indexOf, type History } from '../history.js';
import type { Run } from '../runs.js';
import { hungHandlers } from './limits.js';
import { itemKey, timeOf, type Violation } from './invariant.js';
import { silentDrops } from './overflow.js';
import { isScheduled } from './targets.js';

/** Longest life of a mark without a run, in milliseconds. */
const STRAY_MARK_GOES_MS = 20_000;
/**
 * Time for which handlers are waited for, during the drain and a grace after it, in milliseconds. A clock may run fast.
 */
const WAITED_MS = 0.95 * (3_000 + 1_000);

/** 14. After all have left, nothing of them remains: no timer, and only the nodes that outlive instances. */
export function check14NoLitter(history: History): Violation[] {
  const over = history.of('over').at(-1);
  if (over === undefined) return [];
  history.judges(14);
  const { at, pendingTimers } = over;
  const violations: Violation[] = [];
  if (pendingTimers > 0) {
    violations.push({ at, message: `${pendingTimers} timers are left`, about: 'over' });
  }
  const tree = history.treeAt(Infinity);
  for (const path of tree.paths()) {
    const { node } = history.nodeOf(path);
    const isTransient =
      node.kind === 'instance' ||
      node.kind === 'leader' ||
      /\/sessions\/.|\/(running|failovering|failover)$/.test(path);
    if (!isTransient || isLeftByDeafHandler(history, path, tree.get(path)!.data)) continue;
    if (hasLeftInTime(history, path, tree.get(path)!.data)) continue;
    if (isLeftToNobody(history, path, tree.get(path)!.data)) continue;
    if (path.endsWith('/leader/failover')) continue;
    violations.push({ at, message: `${path} is left behind`, about: path });
  }
  return violations;
}

/**
 * 15. Nothing is silent. Every run is reported as begun and, unless its process died, as settled. Every skipped fire
 * time is reported as missed, once, and not begun after all. Every handler that ignores its signal, and every orphan
 * that found no place in the queue, is reported too.
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
    // The clocks that most agreed on were behind: earlier fire times come again, and are begun or missed once more.
    const isRepeated = (due: number) =>
      scheduled.some(({ record: { early } }) => early && early.after < due && due <= early.until);
    return dueTimes(job.schedule, job.from + job.skewMs, newest - 1).flatMap((due) => {
      const spans = missed.get(itemKey(job.jobName, item)) ?? [];
      const told = spans.filter(({ since, fireTime }) => since <= due && due <= fireTime).length;
      if (told + (begun.has(due) ? 1 : 0) === 1 || (begun.has(due) && isRepeated(due))) return [];
      const what = begun.has(due) ? 'begun' : 'not begun';
      const message = `${itemKey(job.jobName, item)} was ${what} for ${timeOf(due)}, and ${told} times told as missed`;
      return [{ at: due, message, about: `/${job.jobName}/sharding/${item}` }];
    });
  });
}

/** Fire times that were reported as missed, by item: all fire times of each span. */
function missedTimes(history: History): ReadonlyMap<string, readonly { since: number; fireTime: number }[]> {
  const told = new Map<string, { since: number; fireTime: number }[]>();
  for (const { event } of history.of('event')) {
    if (event.kind !== 'missed') continue;
    for (const item of event.items) {
      const key = itemKey(event.jobName, item);
      told.set(key, [...(told.get(key) ?? []), event]);
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
  return history.runs.flatMap((run) => {
    const what = `${run.instance} ${run.jobName}/${run.item} ${run.fireTime}`;
    history.judges(15);
    const missing = [
      ...(told.has(`begun ${what}`) ? [] : ['begun']),
      ...(told.has(`settled ${what}`) || run.endedAt === undefined || hasDiedUntold(history, run) ? [] : ['settled']),
    ];
    return missing.map((word) => ({
      at: run.at,
      message: `run ${run.run} was never told as ${word}`,
      about: `"run":${run.run}`,
    }));
  });
}

/** Longest pause until a refused write is tried again, in milliseconds. */
const LONGEST_PAUSE_MS = 5_000;

/** True if its process has died before the end could be recorded. */
function hasDiedUntold(history: History, { instance, endedAt = Infinity }: Run): boolean {
  const crash = history.of('fault').find(({ fault, instance: victim }) => fault === 'crash' && victim === instance);
  if (crash === undefined || crash.at < endedAt) return false;
  const toSettleMs = 2 * history.promptMs;
  const isDelayed = history.steadySince(instance, endedAt, toSettleMs) > endedAt;
  const neededMs = toSettleMs + (isDelayed ? LONGEST_PAUSE_MS : 0);
  return crash.at <= history.steadySince(instance, endedAt, neededMs) + neededMs;
}

/**
 * True if its holder had to leave before the registry had accepted the end of the run, and no instance is left to
 * sweep.
 */
function hasLeftInTime(history: History, path: string, holder: string): boolean {
  const { jobName, node } = history.nodeOf(path);
  if (!('item' in node)) return false;
  return history
    .of('event')
    .some(
      ({ instance, event }) =>
        instance === indexOf(holder) &&
        event.kind === 'warning' &&
        event.jobName === jobName &&
        event.message.startsWith('left without '),
    );
}

// True if no leader can remove the mark. The next leader removes the marks of instances that have crashed or lost their
// session, and manual marks.
function isLeftToNobody(history: History, path: string, holder: string): boolean {
  const { jobName, node } = history.nodeOf(path);
  if (!('item' in node) || node.item === undefined) return false;
  const isSessionLost = history
    .of('session')
    .some(({ session, state }) => state === 'LOST' && holder.endsWith(`-${session}`));
  const since =
    isSessionLost || history.of('fault').some(isCrashOf(indexOf(holder)))
      ? (existence(history, `/${jobName}/instances/${holder}`).at(-1)?.to ?? Infinity)
      : setByHand(history, path, jobName, node.item) + STRAY_MARK_GOES_MS;
  return !couldSweep(history, jobName, since);
}

/** True if an instance has led the job from some time on, undisturbed for long enough. */
function couldSweep(history: History, jobName: string, since: number): boolean {
  return history.writesTo(`/${jobName}/leader/election/instance`).some(({ kind, at, data }, index, writes) => {
    if (kind !== 'created') return false;
    const until = writes.slice(index).find((write) => write.kind === 'deleted')?.at ?? Infinity;
    const undisturbed = history.steadySince(indexOf(data), Math.max(since, at), history.promptMs);
    return undisturbed + history.promptMs <= until;
  });
}

/** Time at which a mark was set by hand. Never: -Infinity. */
function setByHand(history: History, path: string, jobName: string, item: number): number {
  const at = existence(history, path).at(-1)?.from ?? -Infinity;
  return history.isMarkedByHand(jobName, item, at - history.promptMs, at + history.promptMs) ? at : -Infinity;
}

function isCrashOf(instance: number) {
  return (fault: { readonly fault: string; readonly instance: number }) =>
    fault.fault === 'crash' && fault.instance === instance;
}

// True if a handler that ignored its signal had not returned by the drain's deadline. Its mark is left to the sweep of
// the remaining instances.
function isLeftByDeafHandler(history: History, path: string, holder: string): boolean {
  const { jobName, node } = history.nodeOf(path);
  if (!('item' in node) || node.item === undefined) return false;
  const instance = indexOf(holder);
  const leavingAt = history.of('leaving').find((leaving) => leaving.instance === instance)?.at ?? Infinity;
  return history
    .runsOf(jobName, node.item)
    .some((run) => run.instance === instance && run.isDeaf && (run.endedAt ?? Infinity) >= leavingAt + WAITED_MS);
}
