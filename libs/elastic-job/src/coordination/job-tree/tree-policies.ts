/**
 * Policies for work on a job's tree: what a failed attempt means. The tree is synced before each further attempt, so
 * that it sees the changes of others.
 *
 * | policy           | lost race             | no answer, lost reply | refusal                       |
 * | ---------------- | --------------------- | --------------------- | ----------------------------- |
 * | `untilCommitted` | again, up to 50 times | thrown                | thrown                        |
 * | `untilAnswered`  | -                     | again                 | thrown                        |
 * | `untilDone`      | -                     | again                 | again, and the tree shows it  |
 *
 * A lost race is a write that was refused because of a change in between. A refusal has another reason: missing rights,
 * a quota, an overload.
 *
 * Each policy is written out, since each begin makes one: an object made by a spread takes 1.2 µs, and this one 0.02.
 */
import { ElasticJobError, type JobName } from '../../domain/index.js';
import {
  isRefusal,
  isUnanswered,
  type Operation,
  type RegistryCenter,
  RegistryUnavailableError,
  untilServed,
} from '../../registry/index.js';
import { BackOff, type RacePolicy, repeat, type RepeatPolicy } from '../../repeat/index.js';
import type { JobTree } from './job-tree.js';

const MOST_RACES = 50;
/** A few lost races in a row are normal. Further ones are followed by pauses, in milliseconds. */
const PAUSES = { firstMs: 10, longestMs: 1_000, withoutPause: 4 };

/**
 * A write was refused repeatedly although the tree was read again each time.
 * @remarks Look for a client that rewrites the job's nodes all the time, and stop it. Then repeat the call.
 */
export class ContentionError extends ElasticJobError {
  readonly code = 'CONTENTION';

  constructor(
    readonly jobName: JobName,
    readonly work: string,
  ) {
    super(
      `Job "${jobName}": ${work} was refused ${MOST_RACES} times; find out which client keeps rewriting its nodes.`,
    );
  }
}

/**
 * For work that reads, decides and writes, and returns undefined if its write was refused because of a change in
 * between. A refused change was seen by this client's server, so the next read shows it.
 * @param work the work, as the error names it
 * @throws {ContentionError} after 50 lost races
 */
export function untilAccepted(jobName: JobName, work: string, signal?: AbortSignal): RacePolicy {
  const lostRace = () => new ContentionError(jobName, work);
  return { signal, lostRace, mostAttempts: MOST_RACES, isRepeated: never };
}

/** `untilAccepted` for work on the tree as of the last sync. @throws {ContentionError} @throws the signal's reason */
export function untilCommitted(tree: JobTree, work: string, signal = tree.signal): RacePolicy {
  return {
    signal,
    backOff: new BackOff(tree.clock, PAUSES),
    mostAttempts: MOST_RACES,
    isRepeated: never,
    lostRace: () => new ContentionError(tree.jobName, work),
    prepare: () => tree.sync({ signal }),
  };
}

/** @param signal bounds the wait; the tree's own aborts when the session is over */
export function untilAnswered(tree: JobTree, signal = tree.signal): RepeatPolicy {
  return answered(tree, signal);
}

/** For work that must be done as long as the session lasts. @param onRefused receives the first refusal in a row */
export function untilDone(
  tree: JobTree,
  onRefused: (error: unknown) => void = () => {},
  signal = tree.signal,
): RepeatPolicy {
  const work = {};
  return answered(tree, signal, {
    isRepeated: (error) => isUnanswered(error) || isRefusal(error) || error instanceof ContentionError,
    onFailure: (error) => {
      const isAnswered = !(error instanceof RegistryUnavailableError);
      if (isAnswered && tree.refusals.note(work, 'requests', error, tree.clock.wallNow())) onRefused(error);
    },
    onEnd: () => tree.refusals.end(work),
  });
}

function answered(
  tree: JobTree,
  signal: AbortSignal,
  { isRepeated, onFailure, onEnd }: Pick<RepeatPolicy, 'isRepeated' | 'onFailure' | 'onEnd'> = {},
): RepeatPolicy {
  const served = untilServed(tree.registry, tree.clock, { signal, isRepeated, onFailure });
  return {
    signal,
    backOff: served.backOff,
    isRepeated: served.isRepeated,
    onFailure,
    wait: served.wait,
    prepare: () => tree.sync({ signal }),
    onEnd,
  };
}

/**
 * The right to write for the whole job, and its duration. A leader's term has it; if Java leads, the first instance of
 * ours may sweep, and in a disabled job every instance.
 */
export interface Authority {
  /** Operations to put before those of each transaction, which then commits only while the right lasts. */
  readonly guard: readonly Operation[];
  /** Aborts when the right is over. */
  readonly signal: AbortSignal;
}

/** Reads the present values. @throws the error that prevents reading, or the reason for which the tree was closed */
export async function readNow(tree: JobTree, paths: readonly string[]): Promise<void> {
  const { signal } = tree;
  await tree.sync({ signal });
  await repeat(untilCommitted(tree, 'reading'), async () => (await tree.load(paths, { signal })) || undefined);
}

/** Commits the operations, if there are any. @returns false if they were refused and nothing was applied */
export async function isCommitted(registry: RegistryCenter, operations: readonly Operation[]): Promise<boolean> {
  if (operations.length === 0) return true;
  return (await registry.transaction(operations)).kind === 'committed';
}

function never(): boolean {
  return false;
}
