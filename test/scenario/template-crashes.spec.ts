import { describe, expect, it } from 'vitest';
import { createdRoot, removedRoot } from '../../libs/elastic-job/src/domain/index.js';
import { JobExistsError, JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { CrashPoint, type Mortal, type Side } from './support/crash-point.js';
import { allNodes } from './support/registry-walk.js';
import {
  deleterOf,
  endStage,
  expectGone,
  expectNothingTwice,
  expectRuns,
  INSTANCES,
  leaderOf,
  limitRequests,
  NAME,
  SMALL_REQUEST_BYTES,
  type Stage,
  startStage,
  untilAllHaveLeft,
  untilItRuns,
  USUAL_REQUEST_BYTES,
} from './support/template-stage.js';

const SECOND = 1_000;
const OPERATOR = -1;
/** Time for a dead process's session to end, and for the others to react. */
const CALM_MS = 20 * SECOND;
const LIMIT = { timeout: 120_000 };
const SIDES: readonly Side[] = ['before', 'after'];

/** An operation on a job, and the process that dies during it. */
interface Deed {
  readonly what: string;
  /** Fewer requests of that process mean that the suite does not test what it should. */
  readonly leastSteps: number;
  /** Time after which the operation is done, in milliseconds. */
  readonly windowMs: number;
  /** Brings about the state before the operation. */
  readonly prepare: (stage: Stage) => Promise<void>;
  /** The index of the instance, or OPERATOR. @param done a stage on which nobody has died */
  readonly victim: (done: Stage) => number;
  readonly act: (stage: Stage, victim: Mortal) => Promise<void>;
  /** The help after the death, where no instance is left. @default nothing */
  readonly help?: (stage: Stage) => Promise<void>;
}

interface Deadly extends Deed {
  readonly side: Side;
  readonly failover: boolean;
}

const nothing = async () => {};
const createAsWitness = ({ jobs, job }: Stage) => jobs.create(job);
const removeAsWitness = ({ jobs }: Stage) => jobs.remove(NAME);
const createAsVictim = ({ job }: Stage, { center, clock }: Mortal) => new JobOperateApi(center, clock).create(job);
const removeAsVictim = (_: Stage, { center, clock }: Mortal) => new JobOperateApi(center, clock).remove(NAME);

const CREATIONS: readonly Deed[] = [
  {
    what: 'an operator creates it',
    leastSteps: 1,
    windowMs: 100,
    prepare: nothing,
    victim: () => OPERATOR,
    act: createAsVictim,
  },
  {
    what: 'an instance creates it, joins it and runs it',
    leastSteps: 20,
    windowMs: 7 * SECOND,
    prepare: nothing,
    victim: () => 0,
    act: createAsVictim,
  },
  {
    what: 'an instance joins it, leads it and runs it',
    leastSteps: 20,
    windowMs: 7 * SECOND,
    prepare: nothing,
    victim: leaderOf,
    act: createAsWitness,
  },
  {
    what: 'an instance joins it, follows and runs it',
    leastSteps: 12,
    windowMs: 7 * SECOND,
    prepare: nothing,
    victim: (done) => (leaderOf(done) + 1) % INSTANCES,
    act: createAsWitness,
  },
];

const REMOVALS: readonly Deed[] = [
  {
    what: 'an operator removes it while instances run it',
    leastSteps: 4,
    windowMs: 4 * SECOND,
    prepare: untilItRuns,
    victim: () => OPERATOR,
    act: removeAsVictim,
  },
  {
    what: 'an instance removes it while it runs it',
    leastSteps: 14,
    windowMs: 4 * SECOND,
    prepare: untilItRuns,
    victim: () => 0,
    act: removeAsVictim,
  },
  {
    what: 'an operator removes one whose template nobody has',
    leastSteps: 6,
    windowMs: SECOND,
    prepare: ({ jobs, job }) => jobs.create({ ...job, template: 'unknown' }),
    victim: () => OPERATOR,
    act: removeAsVictim,
  },
  {
    what: 'an operator removes it in parts after all have left, and one comes',
    leastSteps: 12,
    windowMs: SECOND,
    prepare: untilAllHaveLeft,
    victim: () => OPERATOR,
    act: removeAsVictim,
    help: join,
  },
  {
    what: 'an operator removes it in parts after all have left, and another does',
    leastSteps: 12,
    windowMs: SECOND,
    prepare: untilAllHaveLeft,
    victim: () => OPERATOR,
    act: removeAsVictim,
    help: removeAgain,
  },
  {
    what: 'the instance leaves it that deletes its tree',
    leastSteps: 12,
    windowMs: 4 * SECOND,
    prepare: untilItRuns,
    victim: deleterOf,
    act: removeAsWitness,
  },
  {
    what: 'the instance leaves it that deletes its tree in parts',
    leastSteps: 24,
    windowMs: 4 * SECOND,
    prepare: async (stage) => {
      await untilItRuns(stage);
      limitRequests(stage, SMALL_REQUEST_BYTES);
    },
    victim: deleterOf,
    act: removeAsWitness,
  },
];

describe.each(SIDES)('a process that dies right %s one of its requests, for each of them', LIMIT, (side) => {
  it.each(CREATIONS.flatMap((deed) => [false, true].map((failover) => [deed.what, failover, deed] as const)))(
    'leaves the job whole or absent: %s (failover: %s)',
    (_, failover, deed) => forEachRequest({ ...deed, side, failover }, expectWholeOrAbsent),
  );

  it.each(REMOVALS.map((deed) => [deed.what, deed] as const))('leaves no job that was to be removed: %s', (_, deed) =>
    forEachRequest({ ...deed, side, failover: true }, expectRemoved),
  );
});

/** Lets the process die at its first request, in a new cluster at its second one, and so on, until it survives. */
async function forEachRequest(deed: Deadly, check: (stage: Stage) => Promise<void>): Promise<void> {
  const { what, side, failover } = deed;
  const victim = await victimOf(deed);
  let steps = 0;
  try {
    while (await dieAt(steps + 1, victim, deed, check)) steps += 1;
  } catch (error) {
    throw new Error(`${what}: death ${side} request ${steps + 1}: ${String(error)}`, { cause: error });
  }
  console.info(`${what}, ${failover ? 'with' : 'without'} failover: ${steps} requests, death ${side} each of them`);
  expect(steps).toBeGreaterThanOrEqual(deed.leastSteps);
}

/** The index is found on a stage on which nobody dies. */
async function victimOf({ failover, prepare, act, windowMs, victim }: Deadly): Promise<number> {
  const stage = await startStage(failover);
  await prepare(stage);
  await Promise.all([act(stage, stage.mortal), stage.cluster.advance(windowMs)]);
  const index = victim(stage);
  await endStage(stage);
  return index;
}

/** @returns false if the process has made fewer requests, and lives on */
async function dieAt(
  nth: number,
  index: number,
  { prepare, act, help = nothing, windowMs, side, failover }: Deadly,
  check: (stage: Stage) => Promise<void>,
): Promise<boolean> {
  const stage = await startStage(failover);
  const { cluster, living, jobs } = stage;
  await prepare(stage);
  const victim = index === OPERATOR ? stage.mortal : cluster.instances[index]!;
  const point = new CrashPoint(cluster.registry, victim, nth, side);
  const failures: unknown[] = [];
  void act(stage, victim).catch((error: unknown) => failures.push(error));
  await cluster.advance(windowMs);
  point.disarm();
  if (point.struck) living.delete(index);
  await help(stage);
  await cluster.advance(CALM_MS);
  limitRequests(stage, USUAL_REQUEST_BYTES);

  await check(stage);
  await expectRuns(stage);
  await jobs.remove(NAME);
  await cluster.advance(10 * SECOND);
  await expectGone(stage);
  expectNothingTwice(cluster.runs(NAME), point.struck && failover ? index : undefined);
  expect(failures).toEqual([]);
  await endStage(stage);
  return point.struck;
}

async function expectWholeOrAbsent({ cluster, witness, jobs, job, roots }: Stage): Promise<void> {
  const isThere = roots.length > 0;
  const paths = (await allNodes(witness, `/${NAME}`)).map(({ path }) => path);
  expect(paths.slice(0, 1)).toEqual(isThere ? [`/${NAME}`] : []);
  expect(paths.includes(`/${NAME}/config`)).toBe(isThere);
  const refusal: unknown = await jobs.create(job).catch((error: unknown) => error);
  expect(refusal instanceof JobExistsError ? 'refused' : refusal).toBe(isThere ? 'refused' : undefined);
  await cluster.advance(SECOND);
}

/** A tombstone that was written has removed everything. If there is none, another removal takes the job away. */
async function expectRemoved(stage: Stage): Promise<void> {
  const { cluster, jobs, job, roots } = stage;
  const isToGo = roots.some(({ text }) => text === removedRoot('report') || text === removedRoot('unknown'));
  expect(isToGo || roots.length === 1).toBe(true);
  if (!isToGo) {
    await jobs.remove(NAME);
    await cluster.advance(CALM_MS);
  }
  await expectGone(stage);
  await jobs.create(job);
  await cluster.advance(SECOND);
}

async function join({ cluster, living }: Stage): Promise<void> {
  living.add(await cluster.join());
}

/** Removes the rest of the job if it was to be removed, and only then lets an instance join. */
async function removeAgain(stage: Stage): Promise<void> {
  const root = await stage.witness.read(`/${NAME}`);
  if (root?.data === removedRoot('report')) await stage.jobs.remove(NAME);
  if (root?.data !== createdRoot('report')) expect(await stage.witness.exists(`/${NAME}`)).toBeUndefined();
  await join(stage);
}
