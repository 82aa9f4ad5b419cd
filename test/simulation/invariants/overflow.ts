import { isSameTarget, parseRunRecord, type RunRecord } from '../../../libs/elastic-job/src/domain/index.js';
import { type Commit, type History, indexOf } from '../history.js';
import { itemKey, type Violation } from './invariant.js';

/** A run that found no place in the failover queue, by its record. */
interface Dropped {
  readonly commit: Commit;
  readonly jobName: string;
  readonly item: number;
  readonly record: RunRecord;
}

/** No sweep puts more into the queue of a job than it may hold, and a dropped run is not repeated. */
export function overfullQueues(history: History): Violation[] {
  const swept = new Map<string, Set<string>>();
  const violations: Violation[] = [];
  for (const commit of history.commits) {
    for (const { kind, path } of commit.writes) {
      const { jobName, node } = history.nodeOf(path);
      if (node.kind !== 'queued-item') continue;
      const waiting = swept.get(jobName) ?? new Set();
      swept.set(jobName, waiting);
      if (kind === 'deleted') waiting.delete(path);
      if (kind !== 'created' || !isSwept(history, commit, jobName, node.item)) continue;
      const { failoverQueueLimit = Infinity } = history.plan.jobs.find(({ name }) => name === jobName)!;
      if (waiting.add(path).size <= failoverQueueLimit) continue;
      violations.push({ at: commit.at, message: `${waiting.size} items of ${jobName} wait`, about: path });
    }
  }
  return [...violations, ...droppedRuns(history).flatMap((dropped) => repeated(history, dropped))];
}

/**
 * True if a leader has put the item into the queue. Its transaction may include those of other jobs, and settles of
 * this job, which queue the items that they have ended.
 */
function isSwept(history: History, { operations, writes }: Commit, jobName: string, item: number): boolean {
  const isGuarded = operations.some(
    ({ kind, path }) => kind === 'check' && path === `/${jobName}/leader/election/term`,
  );
  const isSettled = writes.some(({ kind, path, data }) => {
    const found = history.nodeOf(path);
    if (kind !== 'changed' || found.jobName !== jobName || found.node.kind !== 'item-record') return false;
    const stored = parseRunRecord(data);
    return found.node.item === item && stored.kind === 'record' && stored.record.settled !== undefined;
  });
  return isGuarded && !isSettled;
}

/** A dropped run is reported by the process that has dropped it. */
export function silentDrops(history: History): Violation[] {
  const processes = new Map(history.of('session').map(({ session, instance }) => [session, instance]));
  return droppedRuns(history).flatMap(({ commit, jobName, item }) => {
    const instance = processes.get(commit.session) ?? -1;
    if (!history.isSteady(instance, commit.at - history.promptMs, 2 * history.promptMs)) return [];
    const isTold = history
      .of('event')
      .some(
        ({ at, event }) =>
          at >= commit.at &&
          event.kind === 'failover-overflow' &&
          event.jobName === jobName &&
          event.items.includes(item),
      );
    return isTold ? [] : [violation({ commit, jobName, item }, 'was dropped, and nobody was told')];
  });
}

function repeated(history: History, dropped: Dropped): Violation[] {
  const { commit, jobName, item, record } = dropped;
  const isRepeated = history.begins.some(
    (begin) =>
      begin.zxid > commit.zxid &&
      begin.jobName === jobName &&
      begin.item === item &&
      isSameTarget(begin.record.target, record.target) &&
      !history.isMarkedByHand(jobName, item, commit.at, begin.at),
  );
  return isRepeated ? [violation(dropped, `was dropped by ${indexOf(record.by)}, and repeated`)] : [];
}

function droppedRuns(history: History): Dropped[] {
  const known = new Set<string>();
  return history.commits.flatMap((commit) =>
    commit.writes.flatMap(({ kind, path, data }): Dropped[] => {
      if (kind !== 'changed' || !data.includes('"cause":"overflow"')) return [];
      const { jobName, node } = history.nodeOf(path);
      const stored = parseRunRecord(data);
      if (node.kind !== 'item-record' || stored.kind !== 'record') return [];
      // The same record notes later fire times that were given up.
      const run = `${path} ${stored.record.run}`;
      if (known.has(run)) return [];
      known.add(run);
      return [{ commit, jobName, item: node.item, record: stored.record }];
    }),
  );
}

function violation({ commit, jobName, item }: Omit<Dropped, 'record'>, what: string): Violation {
  return { at: commit.at, message: `${itemKey(jobName, item)} ${what}`, about: commit.zxid.toString(16) };
}
