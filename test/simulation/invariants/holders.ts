import { indexOf, type History } from '../history.js';
import type { Run } from '../runs.js';
import { unawareOfSilence } from './limits.js';
import { byItem, timeOf, type Violation } from './invariant.js';

/**
 * 1. At no instant do two live holders of an item both carry the newest token. An older run may still go on only if its
 * holder is no member of the job any more and nobody has to wait for it, or has given the item up: then its token is the
 * older one. Nor does a process begin what it still runs.
 */
export function check01ExclusiveShard(history: History): Violation[] {
  const gone = goneAt(history);
  return pairs(history).flatMap(([before, next]) => {
    const isOver = (before.endedAt ?? Infinity) <= next.at;
    const leftAt = gone.get(`${before.jobName} ${before.instance}`) ?? [];
    // An item that waited for a slot may start before its process can know that the session is over.
    const heldSince = history.beginOf(before)?.at ?? before.at;
    const hasLost = leftAt.some((at) => at >= heldSince && at <= next.at);
    const isReleased = (before.releasedAt ?? Infinity) <= next.at;
    if (isOver || ((hasLost || isReleased) && before.instance !== next.instance)) return [];
    const message = `item ${next.item} began at ${timeOf(next.at)} on ${next.instance} while run ${before.run} held it on ${before.instance}`;
    return [{ at: next.at, message, about: `"jobName":"${next.jobName}"` }];
  });
}

/** 2. Tokens of an item only grow, and a guarded store accepts no effect of an older one. */
export function check02FenceMonotonic(history: History): Violation[] {
  const violations: Violation[] = [];
  const runs = new Map(history.runs.map((run) => [run.run, run]));
  const newest = new Map<string, bigint>();
  for (const { at, run, token, accepted } of history.of('effect')) {
    const { jobName, item } = runs.get(run)!;
    const key = `${jobName}/${item}`;
    const seen = newest.get(key) ?? -1n;
    if (accepted && token < seen) {
      violations.push({ at, message: `an effect of token ${token} was accepted after ${seen}`, about: `"run":${run}` });
    }
    if (accepted && token > seen) newest.set(key, token);
  }
  for (const begins of byItem(history.begins).values()) {
    for (const [index, { at, zxid, item }] of begins.entries()) {
      const before = begins[index - 1]?.zxid;
      if (before !== undefined && before >= zxid) {
        violations.push({ at, message: `item ${item} got token ${zxid} after ${before}`, about: zxid.toString(16) });
      }
    }
  }
  return violations;
}

/**
 * 17. A holder that is neither paused nor drifting has seen its signal before the registry gives its place away; and once the
 * registry has not answered for as long as its process waits, if that is limited.
 */
export function check17SignalBeforeExpiry(history: History): Violation[] {
  return [...unawareOfExpiry(history), ...unawareOfSilence(history)];
}

function unawareOfExpiry(history: History): Violation[] {
  const exempt = unfitInstances(history);
  const givenUp = new Map(
    history.of('session').flatMap(({ session, state, at }) => (state === 'LOST' ? [[session, at]] : [])),
  );
  const violations: Violation[] = [];
  for (const { at, session, writes } of history.commits) {
    for (const { kind, path } of writes) {
      const { jobName, node } = history.nodeOf(path);
      if (kind !== 'deleted' || node.kind !== 'instance') continue;
      const instance = indexOf(node.instanceId);
      // An operator or the instance itself may remove the node; only the end of the session is judged here.
      if (!node.instanceId.endsWith(`-${session}`) || exempt.has(instance)) continue;
      // What runs since is another session's.
      const givenUpAt = givenUp.get(session) ?? at;
      const unaware = history.runs.find(
        (run) =>
          run.instance === instance &&
          run.jobName === jobName &&
          run.at < givenUpAt &&
          (run.endedAt ?? Infinity) > at &&
          (run.abortedAt ?? Infinity) > at,
      );
      if (unaware === undefined) continue;
      const message = `run ${unaware.run} of item ${unaware.item} went on unaware when its session ended`;
      violations.push({ at, message, about: `"run":${unaware.run}` });
    }
  }
  return violations;
}

/** 21. No target of an item is begun twice, except as a failover. */
export function check21OnceBegun(history: History): Violation[] {
  const violations: Violation[] = [];
  const begun = new Set<string>();
  for (const { at, jobName, item, record, isClaim, zxid } of history.begins) {
    const target = `${jobName}/${item} for ${timeOf(record.target.fireTime)} of ${record.target.origin}`;
    if (begun.has(target) && !isClaim) {
      violations.push({ at, message: `${target} was begun again, by ${record.by}`, about: zxid.toString(16) });
    }
    begun.add(target);
  }
  return violations;
}

/** Each run of an item with each earlier one that had not ended. Only monitored jobs promise anything across processes. */
function pairs(history: History): (readonly [Run, Run])[] {
  const found: (readonly [Run, Run])[] = [];
  for (const runs of byItem(history.runs).values()) {
    for (const [index, next] of runs.entries()) {
      const isKnown = ({ instance }: Run) => instance === next.instance || history.isMonitored(next.jobName);
      for (const before of runs.slice(0, index)) {
        if ((before.endedAt ?? Infinity) > next.at && isKnown(before)) found.push([before, next]);
      }
    }
  }
  return found;
}

/**
 * When each instance ceased to be one whose handlers are waited for, in each job: its session was over, or it had been shut
 * down by an operator for as long as the others wait.
 */
function goneAt(history: History): ReadonlyMap<string, readonly number[]> {
  const gone = new Map<string, number[]>();
  const add = (jobName: string, instance: number, at: number) =>
    gone.set(`${jobName} ${instance}`, [...(gone.get(`${jobName} ${instance}`) ?? []), at]);
  for (const { at, session, operations, writes } of history.commits) {
    const isSessions = operations.every((operation) => operation.kind === 'delete' && operation.version === undefined);
    for (const { kind, path } of writes) {
      if (kind !== 'deleted') continue;
      const { jobName, node } = history.nodeOf(path);
      const isEnd = isSessions && node.kind === 'session';
      const isOwn = node.kind === 'instance' && node.instanceId.endsWith(`-${session}`);
      if (isEnd || isOwn) add(jobName, indexOf(node.instanceId), at);
    }
  }
  for (const { at, jobName, instance } of history.shutdowns) {
    const { shutdownGraceMs = 5_000 } = history.plan.jobs.find(({ name }) => name === jobName)!;
    add(jobName, instance, at + 0.95 * shutdownGraceMs); // The clock of who waits may drift.
  }
  return gone;
}

/** Those that were paused, dead, drifting, or whose session was ended by the registry of its own accord. */
function unfitInstances(history: History): ReadonlySet<number> {
  const unfit = ['crash', 'pause', 'drift', 'expire'];
  return new Set(history.of('fault').flatMap(({ fault, instance }) => (unfit.includes(fault) ? [instance] : [])));
}
