import {
  isLeftToAdopt,
  parseRunRecord,
  type RunRecord,
  type StoredRecord,
} from '../../../libs/elastic-job/src/domain/index.js';
import { membersOf } from '../calm.js';
import type { History } from '../history.js';
import { targetKey, type TaskLife } from '../task-lives.js';
import { LONGEST_TIDYING_MS } from '../world/world.js';
import { byItem, itemKey, timeOf, type Violation } from './invariant.js';

/** An end after which a target is not repeated: its handler has returned or thrown. */
const DONE = 'FINISHED';
/** Ends for which the task itself may be to blame. */
const GUILTY: ReadonlySet<string | undefined> = new Set(['FAILED', 'ERROR']);

/** 29. At no instant do two tasks of one item act. */
export function check29OneTask(history: History): Violation[] {
  return [...byItem(history.tasks).values()].flatMap((tasks) => {
    const opened = tasks.filter(({ openedAt }) => openedAt !== undefined).toSorted(byOpening);
    return opened.flatMap((task, index) => {
      history.judges(29);
      const living = opened.slice(0, index).find(({ end }) => (end?.at ?? Infinity) > task.openedAt!);
      return living === undefined ? [] : [violation(task, task.openedAt!, `began while task ${living.uid} lived`)];
    });
  });
}

/**
 * 30. Each launch of a target begins once. A further launch begins only after the one before has died, or was never
 * opened, or an operator has said that it is gone. Where schedulers cannot adopt tasks, a scheduler that dies takes its
 * knowledge of an end with it.
 */
export function check30LaunchedOnce(history: History): Violation[] {
  const isShared = history.plan.tasks?.adopts === true;
  // A message that was answered with an error may have arrived, too.
  const lost = new Set(
    recordsOf(history).flatMap(({ jobName, item, record: { launch = 1, settled, target } }) =>
      settled?.cause === 'GONE_BY_OPERATOR' ? [launchKey({ jobName, item, ...target, launch })] : [],
    ),
  );
  return [...byTarget(history.tasks).values()].flatMap((tasks) => {
    const opened = tasks.filter(({ openedAt }) => openedAt !== undefined).toSorted(byOpening);
    return opened.flatMap((task, index): Violation[] => {
      const before = opened.slice(0, index);
      if (before.some(({ launch }) => launch >= task.launch))
        return [violation(task, task.openedAt!, `began as launch ${task.launch} after a launch that is not lower`)];
      const done = before.find((former) => former.end?.state === DONE && !lost.has(launchKey(former)));
      if (!history.judges(30, done !== undefined && !isShared && 'nobody can adopt')) return [];
      return done === undefined
        ? []
        : [violation(task, task.openedAt!, `began although launch ${done.launch} is done`)];
    });
  });
}

function launchKey(task: Pick<TaskLife, 'jobName' | 'item' | 'fireTime' | 'origin' | 'launch'>): string {
  return `${targetKey(task)}, launch ${task.launch}`;
}

/** 31. A task goes only once the registry knows the end of its run, or that another run of the item has begun. */
export function check31ReleasedAfterSettle(history: History): Violation[] {
  return history.tasks.flatMap(({ release, ...task }): Violation[] => {
    if (release === undefined) return [];
    history.judges(31);
    const record = recordAt(history, task, release.zxid);
    if (record === undefined || record.run !== release.run) return [];
    if (record.settled === undefined) return [violation(task, release.at, 'was released before its run was settled')];
    const isLeft = record.settled.cause === 'handed-over';
    return isLeft ? [violation(task, release.at, 'was released although its run was handed over')] : [];
  });
}

/** 32. Only deaths for which a task may be to blame count. */
export function check32InnocentDeaths(history: History): Violation[] {
  const isShared = history.plan.tasks?.adopts === true;
  const isGuilty = ({ end }: TaskLife) =>
    GUILTY.has(end?.state) || (!isShared && end?.state === 'KILLED' && end.killer === 'other');
  const tasks = byTarget(history.tasks);
  return recordsOf(history).flatMap(({ at, jobName, item, record, about }): Violation[] => {
    const { executorDeaths = 0, target } = record;
    if (executorDeaths === 0 && !record.settled?.cause) return [];
    history.judges(32);
    const own = tasks.get(targetKey({ jobName, item, ...target })) ?? [];
    const guilty = own.filter((task) => isGuilty(task) && task.end!.at <= at).length;
    if (executorDeaths <= guilty) return [];
    const message = `${itemKey(jobName, item)} counts ${executorDeaths} deaths, of which ${guilty} were its tasks' own`;
    return [{ at, message, about }];
  });
}

/**
 * 33. An adoption keeps the launch, and any other repeat of a target raises it. The task belongs to the begun launch.
 */
export function check33LaunchIsCounted(history: History): Violation[] {
  const begun = new Map(
    history.begins.map((begin) => [`${itemKey(begin.jobName, begin.item)} ${begin.record.run}`, begin]),
  );
  const ofRecords = recordsOf(history).flatMap(({ at, jobName, item, record, before, about }): Violation[] => {
    const isBegin = before?.run !== record.run && record.settled === undefined;
    if (
      !isBegin ||
      before === undefined ||
      targetKey({ jobName, item, ...before.target }) !== targetKey({ jobName, item, ...record.target })
    )
      return [];
    history.judges(33);
    const { settled, isAdoptable = false, launch = 1 } = before;
    const isAdoption = isAdoptable && (settled === undefined || settled.cause === 'handed-over');
    if (record.launch === (isAdoption ? launch : launch + 1)) return [];
    const what = isAdoption ? 'an adoption' : 'a repetition';
    return [{ at, message: `${what} of launch ${launch} of ${itemKey(jobName, item)} is ${record.launch}`, about }];
  });
  const ofTasks = history.tasks.flatMap((task) =>
    task.holders.flatMap(({ at, run, token }, index): Violation[] => {
      history.judges(33);
      const begin = begun.get(`${itemKey(task.jobName, task.item)} ${run}`);
      if (begin?.record.launch !== task.launch)
        return [violation(task, at, `is launch ${task.launch}, and its run began ${begin?.record.launch}`)];
      const isLate =
        index > 0 &&
        begin.zxid < begun.get(`${itemKey(task.jobName, task.item)} ${task.holders[index - 1]!.run}`)!.zxid;
      return isLate ? [violation(task, at, `was adopted by the older run ${run}, with token ${token}`)] : [];
    }),
  );
  return [...ofRecords, ...ofTasks];
}

/** 34. A run is settled once. A run that was handed over belongs to its successor from then on. */
export function check34SettledOnce(history: History): Violation[] {
  return recordsOf(history).flatMap(({ at, jobName, item, record, before, about }): Violation[] => {
    if (record.settled === undefined) return [];
    history.judges(34);
    const { at: settledAt, cause, outcome } = record.settled;
    const former = before?.run === record.run ? before.settled : undefined;
    // The record of an entry that loses its place in the queue shows it, by its cause or by not being owed.
    const isDropped = cause === 'purged' || cause === 'overflow' || cause === 'released' || cause === former?.cause;
    if (former === undefined || (isDropped && former.at === settledAt && former.outcome === outcome)) return [];
    const message = `${itemKey(jobName, item)}, run ${record.run}, was settled again, after ${JSON.stringify(former)}`;
    return [{ at, message, about }];
  });
}

/**
 * 35. No gated task is left in the end, and none whose run is over: every scheduler looks for tasks that their own
 * scheduler has not released. A history waits for that. A gated task may wait only while its run is to be adopted and
 * its job has no instance that could.
 */
export function check35NothingLeft(history: History): Violation[] {
  const until = history.closingAt;
  return history.tasks.flatMap((task) => {
    if (task.launchedAt >= until) return [];
    const goneAt = Math.min(task.release?.at ?? Infinity, until);
    const isGated = task.openedAt === undefined;
    const since = (isGated ? gatedSince(history, task, goneAt) : overSince(history, task)) ?? Infinity;
    const waits = isGated && since === Infinity;
    if (!history.judges(35, waits && 'its run waits for an instance that can adopt it')) return [];
    if (goneAt - since <= LONGEST_TIDYING_MS - 20_000) return [];
    const what = isGated ? 'was left gated' : 'was left although its run was over';
    return [violation(task, goneAt, `${what}, since ${timeOf(since)}`)];
  });
}

/** Time from which on somebody was to open or to release the task. Undefined: in the end its run waits. */
function gatedSince(history: History, task: TaskLife, goneAt: number): number | undefined {
  const { at: heldAt } = task.holders.at(-1)!;
  const changedAt = history.commits.flatMap(({ at }) => (at > heldAt && at <= goneAt ? [at] : []));
  let since: number | undefined;
  for (const at of [heldAt, ...changedAt]) since = waitsAt(history, task, at) ? undefined : (since ?? at);
  return since;
}

/** True if the run of the task is to be adopted at an instant, and no instance of its job can begin an item. */
function waitsAt(history: History, task: TaskLife, at: number): boolean {
  const { jobName, item } = task;
  const tree = history.treeAt(at);
  const stored = parseRunRecord(tree.get(`/${jobName}/sharding/${item}/record`)?.data ?? '');
  return isOwnRecord(stored, task) && isLeftToAdopt(stored) && membersOf(tree, jobName).length === 0;
}

/** Time from which on the run of an opened task was over. Undefined: it was not. */
function overSince(history: History, task: TaskLife): number | undefined {
  const { at: since, run } = task.holders.at(-1)!;
  const path = `/${task.jobName}/sharding/${task.item}/record`;
  return history.writesTo(path).find(({ at, kind, data }) => {
    if (at < since) return false;
    const stored = parseRunRecord(kind === 'deleted' ? '' : data);
    if (stored.kind !== 'record') return true;
    const { settled } = stored.record;
    if (stored.record.run === run) return settled !== undefined && settled.cause !== 'handed-over';
    return !isOwnRecord(stored, task);
  })?.at;
}

/** True if a record is of the target and the launch of the task, by whichever run. */
function isOwnRecord(stored: StoredRecord, task: TaskLife): boolean {
  if (stored.kind !== 'record') return false;
  const { launch, target } = stored.record;
  return launch === task.launch && targetKey({ ...task, ...target }) === targetKey(task);
}

interface WrittenRecord {
  readonly at: number;
  readonly zxid: bigint;
  readonly jobName: string;
  readonly item: number;
  readonly record: RunRecord;
  /** The record before the write. */
  readonly before: RunRecord | undefined;
  readonly about: string;
}

/** Each record that was written, in order. */
function recordsOf(history: History): readonly WrittenRecord[] {
  const latest = new Map<string, RunRecord | undefined>();
  return history.commits.flatMap(({ at, zxid, writes }) =>
    writes.flatMap(({ kind, path, data }): WrittenRecord[] => {
      const { jobName, node } = history.nodeOf(path);
      if (node.kind !== 'item-record') return [];
      const before = latest.get(path);
      const stored = parseRunRecord(kind === 'deleted' ? '' : data);
      const record = stored.kind === 'record' ? stored.record : undefined;
      latest.set(path, record);
      return record === undefined ? [] : [{ at, zxid, jobName, item: node.item, record, before, about: path }];
    }),
  );
}

/** An item's record in a transaction. */
function recordAt(
  history: History,
  { jobName, item }: Pick<TaskLife, 'jobName' | 'item'>,
  zxid: bigint,
): RunRecord | undefined {
  const commits = history.commits.filter((commit) => commit.zxid <= zxid);
  const path = `/${jobName}/sharding/${item}/record`;
  const write = commits.flatMap(({ writes }) => writes.filter((one) => one.path === path)).at(-1);
  const stored = parseRunRecord(write === undefined || write.kind === 'deleted' ? '' : write.data);
  return stored.kind === 'record' ? stored.record : undefined;
}

function byTarget(tasks: readonly TaskLife[]): ReadonlyMap<string, readonly TaskLife[]> {
  const groups = new Map<string, TaskLife[]>();
  for (const task of tasks) groups.set(targetKey(task), [...(groups.get(targetKey(task)) ?? []), task]);
  return groups;
}

function byOpening(a: TaskLife, b: TaskLife): number {
  return a.openedAt! - b.openedAt!;
}

function violation(
  task: Pick<TaskLife, 'jobName' | 'item' | 'fireTime' | 'origin' | 'uid'>,
  at: number,
  what: string,
): Violation {
  return { at, message: `task ${task.uid} of ${targetKey(task)} ${what}`, about: task.jobName };
}
