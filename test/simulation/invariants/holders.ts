import { mayRepeatEarlyRun, rerunIdOf } from '../../../libs/elastic-job/src/domain/index.js';
import { type Begin, indexOf, type History } from '../history.js';
import type { Run } from '../runs.js';
import { unawareOfSilence } from './limits.js';
import { byItem, timeOf, type Violation } from './invariant.js';

/**
 * Longest time by which a begin may precede its fire time by the registry's clock, in milliseconds. The begin takes a
 * moment to get there.
 */
const TOLERANCE_MS = 10_000;
/**
 * Width of the interval in which a process knows the registry's clock, in milliseconds. A drifting clock makes it a
 * little wrong.
 */
const INTERVAL_MS = 1_000;
/** Largest share by which a clock of the simulation gains time. The library expects sound clocks. */
const LARGEST_DRIFT = 0.03;

/**
 * 1. At no instant do two live holders of an item both carry the newest token. An older run may go on only if its
 * holder has left the job and no instance has to wait for it, or if it has given the item up: then its token is the
 * older one. A process also does not begin an item that it still runs.
 */
export function check01ExclusiveShard(history: History): Violation[] {
  const gone = goneAt(history);
  for (const _ of history.runs) history.judges(1);
  return pairs(history).flatMap(([before, next]) => {
    const isOver = (before.endedAt ?? Infinity) <= next.at;
    const leftAt = gone.get(`${before.jobName} ${before.instance}`) ?? [];
    // An item that waited for a slot may start before its process can know that the session is over.
    const heldSince = history.beginOf(before)?.at ?? before.at;
    const hasLost = leftAt.some((at) => at >= heldSince && at <= next.at);
    const isReleased = (before.releasedAt ?? Infinity) <= next.at;
    if (isOver || ((hasLost || isReleased) && before.instance !== next.instance)) return [];
    const holder = `run ${before.run} held it on ${before.instance}`;
    const message = `item ${next.item} began at ${timeOf(next.at)} on ${next.instance} while ${holder}`;
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
    history.judges(2);
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
 * 17. A holder that does not stand still has seen its signal before the registry gives its place away. The same holds
 * once the registry has not answered for as long as the process waits, if that is limited.
 */
export function check17SignalBeforeExpiry(history: History): Violation[] {
  return [...unawareOfExpiry(history), ...unawareOfSilence(history)];
}

function unawareOfExpiry(history: History): Violation[] {
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
      if (!node.instanceId.endsWith(`-${session}`)) continue;
      if (!history.judges(17, couldNotKnow(history, instance, at) && 'the process could not know')) continue;
      // Later runs belong to another session, or to the job as the process has added it again.
      const givenUpAt = Math.min(givenUp.get(session) ?? at, at);
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

/** 21. No target of an item is begun twice, except as a failover, or after a fast clock has begun it early. */
export function check21OnceBegun(history: History): Violation[] {
  const violations: Violation[] = [];
  const begun = new Map<string, number>();
  for (const { at, jobName, item, record, isClaim, zxid } of history.begins) {
    const { fireTime, origin } = record.target;
    if (rerunIdOf(origin) !== undefined) continue; // Judged with its re-run.
    const target = `${jobName}/${item} for ${timeOf(fireTime)} of ${origin}`;
    const before = begun.get(target);
    // A begin within the tolerance does not count as early. It may be repeated if the record names the stretch of a
    // later early run. Such a stretch also covers what had come by the registry's clock, but not by the time that most
    // agree on.
    const wasJudgedAhead = before !== undefined && (before < fireTime || history.isRegistryDistrusted(before, at));
    const mayRepeat = wasJudgedAhead && mayRepeatEarlyRun(record);
    const wasEarly = before !== undefined && (before < fireTime - TOLERANCE_MS || mayRepeat);
    if (before !== undefined && !isClaim && !wasEarly) {
      violations.push({ at, message: `${target} was begun again, by ${record.by}`, about: zxid.toString(16) });
    }
    history.judges(21, wasEarly && 'a clock that ran ahead has begun it early');
    begun.set(target, at);
  }
  return violations;
}

/**
 * 28. No fire time is begun before it has come by the registry's clock, except for the tolerance, unless most agree
 * that this clock is wrong. A job that is started after others is begun for their fire times, independent of clocks.
 */
export function check28NothingEarly(history: History): Violation[] {
  const isStartedAfter = (name: string) =>
    history.plan.jobs.some((job) => job.name === name && job.after !== undefined);
  const isTrusted = ({ at, record }: Begin) => !history.trustsNoRegistry(indexOf(record.by), at - history.promptMs, at);
  return history.begins
    .filter(({ record, isClaim }) => record.target.origin === 'schedule' && !isClaim)
    .filter(({ jobName }) => !isStartedAfter(jobName))
    .filter((begin) => history.judges(28, !isTrusted(begin) && "most agree that the registry's clock is wrong"))
    .filter((begin) => begin.at < begin.record.target.fireTime - TOLERANCE_MS - INTERVAL_MS - driftMs(history, begin))
    .map(({ at, jobName, item, record: { target }, zxid }) => {
      const early = `${target.fireTime - at} ms early`;
      const message = `${jobName}/${item} was begun for ${timeOf(target.fireTime)}, ${early}`;
      return { at, message, about: zxid.toString(16) };
    });
}

/**
 * Possible drift of a clock from the last reply of the registry to a write of its process until the decision to begin.
 */
function driftMs(history: History, { at, record }: Begin): number {
  const decidedAt = at - history.promptMs;
  const heard = history.commits.findLast((one) => one.at < decidedAt && record.by.endsWith(`-${one.session}`));
  return heard === undefined ? 0 : LARGEST_DRIFT * (at - heard.at);
}

/**
 * Pairs of each run of an item with each earlier one that had not ended. Only monitored jobs promise anything across
 * processes.
 */
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
 * Instants at which instances ceased to be waited for in each job: the session was over, or an operator had shut the
 * instance down for as long as the others wait.
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
    add(jobName, instance, at + 0.95 * shutdownGraceMs); // The clock of a waiting process may drift.
  }
  return gone;
}

/** True if it stands still, is dead, or the registry has ended the session by itself: it could not learn it in time. */
function couldNotKnow(history: History, instance: number, at: number): boolean {
  return (
    history.isStill(instance, at) ||
    history.of('fault').some((fault) => fault.fault === 'expire' && fault.instance === instance && fault.at === at)
  );
}
