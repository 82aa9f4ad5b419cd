import { isLeftToAdopt, parseRunRecord, stopOf } from '../../../libs/elastic-job/src/domain/index.js';
import { membersOf } from '../calm.js';
import type { Commit, History } from '../history.js';
import { Replay } from '../replay.js';
import { overfullQueues } from './overflow.js';
import { itemKey, timeOf, type Violation } from './invariant.js';

/** Time from the loss of a holder in the registry to the sweep of its items: an election, and a few requests. */
function sweepMs(history: History): number {
  return 1_500 + 2 * history.promptMs;
}

/** 18. An owed entry of the queue goes only with its begin, once, and the queue is not overfull. */
export function check18NoClaimLost(history: History): Violation[] {
  return [...lostEntries(history), ...overfullQueues(history)];
}

function lostEntries(history: History): Violation[] {
  const tree = new Replay();
  const violations: Violation[] = [];
  for (const commit of history.commits) {
    for (const { kind, path } of commit.writes) {
      const { jobName, node } = history.nodeOf(path);
      if (node.kind !== 'queued-item' || kind !== 'deleted') continue;
      history.judges(18);
      const root = `/${jobName}/sharding/${node.item}`;
      const isBegun = commit.writes.some((write) => write.kind === 'created' && write.path === `${root}/running`);
      const isRemoved = commit.writes.some((write) => write.kind === 'deleted' && write.path === root);
      if (isBegun || isRemoved || !isWaiting(tree, root) || isFailoverOff(tree, jobName)) continue;
      if (isPurged(commit, root) && (isNobodys(tree, jobName) || isBeyondTotal(tree, jobName, node.item))) continue;
      const message = `the entry of ${itemKey(jobName, node.item)} went without a begin`;
      violations.push({ at: commit.at, message, about: commit.zxid.toString(16) });
    }
    tree.apply(commit);
  }
  return violations;
}

/** 22. A mark whose holder is gone is swept within the failover bound, while nothing else disturbs. */
export function check22OrphansAreQueued(history: History): Violation[] {
  history.judgesCalm(22);
  const violations: Violation[] = [];
  const deadlines = history.calm.map(({ from, to }) => ({ from, to, tree: new Replay() }));
  for (const { from, to, tree } of deadlines) {
    const orphanedSince = new Map<string, number>();
    for (const commit of history.commits) {
      if (commit.at > to) break;
      tree.apply(commit);
      if (commit.at >= from) note(history, tree, commit.at, orphanedSince);
    }
    note(history, tree, to, orphanedSince);
    for (const [path, since] of orphanedSince) {
      if (to - Math.max(since, from) <= sweepMs(history)) continue;
      const message = `${path} names nobody who is there, since ${timeOf(since)} or before`;
      violations.push({ at: to, message, about: path });
    }
  }
  return violations;
}

/**
 * 6. An item of a crashed holder runs again soon after the session's timeout, if an instance is there and has a free
 * slot.
 */
export function check06BoundedFailover(history: History): Violation[] {
  history.judgesCalm(6);
  const violations: Violation[] = [];
  for (const { from, to, queuedAt, jobName, item } of waits(history)) {
    if (to - Math.max(from, queuedAt) <= claimMs(history, jobName)) continue;
    const message = `${itemKey(jobName, item)} has waited for failover since ${timeOf(queuedAt)}`;
    violations.push({ at: to, message, about: `/${jobName}/leader/failover/items/${item}` });
  }
  return violations;
}

function claimMs(history: History, jobName: string): number {
  return history.turnMs(jobName) + 2_000 + 2 * history.promptMs;
}

/** Entries that waited at the end of a calm time. */
function* waits(history: History) {
  for (const { from, to } of history.calm) {
    const tree = history.treeAt(to);
    for (const path of tree.paths()) {
      const { jobName, node } = history.nodeOf(path);
      if (node.kind !== 'queued-item' || isFailoverOff(tree, jobName)) continue;
      if (tree.has(`/${jobName}/sharding/${node.item}/disabled`) || membersOf(tree, jobName).length === 0) continue;
      yield { from, to, queuedAt: tree.get(path)!.createdAt, jobName, item: node.item };
    }
  }
}

function note(history: History, tree: Replay, at: number, orphanedSince: Map<string, number>): void {
  const orphaned = new Set<string>();
  for (const path of tree.paths()) {
    if (!/\/sharding\/\d+\/(running|failovering|failover)$/.test(path)) continue;
    const { jobName } = history.nodeOf(path);
    const holder = tree.get(path)!.data;
    if (!tree.has(`/${jobName}/instances/${holder}`) && tree.children(`/${jobName}/instances`).length > 0) {
      orphaned.add(path);
    }
  }
  for (const path of orphanedSince.keys()) if (!orphaned.has(path)) orphanedSince.delete(path);
  for (const path of orphaned) if (!orphanedSince.has(path)) orphanedSince.set(path, at);
}

/** True if the item's last run is to be repeated. A mark by hand may queue the item of a run that was told to stop. */
function isWaiting(tree: Replay, root: string): boolean {
  const stored = parseRunRecord(tree.get(`${root}/record`)?.data ?? '');
  if (stored.kind !== 'record') return false;
  const { settled } = stored.record;
  if (settled === undefined) return isLeftToAdopt(stored) || stopOf(stored.record) === undefined;
  return settled.outcome === 'aborted' && settled.cause !== 'cancelled';
}

/** True if the record says so, so that the entry is not gone silently. */
function isPurged({ writes }: Commit, root: string): boolean {
  return writes.some(({ path, data }) => path === `${root}/record` && /"cause":"purged"/.test(data));
}

/** True if the item still exists because it ran as the total shrank. */
function isBeyondTotal(tree: Replay, jobName: string, item: number): boolean {
  const [, total] = /^shardingTotalCount: (\d+)$/m.exec(tree.get(`/${jobName}/config`)?.data ?? '') ?? [];
  return item >= Number(total);
}

/** A job whose servers are all disabled is disabled. */
function isNobodys(tree: Replay, jobName: string): boolean {
  return membersOf(tree, jobName).length === 0;
}

function isFailoverOff(tree: Replay, jobName: string): boolean {
  return !/^failover: true$/m.test(tree.get(`/${jobName}/config`)?.data ?? '');
}
