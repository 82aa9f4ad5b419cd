import { expect } from 'vitest';
import { JobOperateApi, type NewJob } from '../../../libs/elastic-job/src/operations/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster, type TestRun } from '../../../libs/elastic-job/src/testing/index.js';
import { OperatorProcess } from './crash-point.js';
import { operatorOf } from './registry-walk.js';
import { expectGrowingTokens, range } from './run-checks.js';

const SECOND = 1_000;
export const INSTANCES = 3;
const ITEMS = range(6);
export const NAME = 'report-acme';
const ROOT = `/test/${NAME}`;
const NEW = { name: NAME, template: 'report', cron: '0/5 * * * * ?', shardingTotalCount: ITEMS.length };
/** Less than the deletion of a tree takes, and more than any other request of an instance that leaves. */
export const SMALL_REQUEST_BYTES = 300;
export const USUAL_REQUEST_BYTES = 1_000_000;

/** Three instances, an operator who may die, and one who does not. */
export interface Stage {
  readonly cluster: TestCluster;
  readonly living: Set<number>;
  readonly mortal: OperatorProcess;
  readonly witness: RegistryCenter;
  readonly jobs: JobOperateApi;
  readonly job: NewJob;
  /** The texts of the job's root, in order, and the session that wrote each. */
  readonly roots: { readonly text: string | undefined; readonly sessionId: string }[];
}

export async function startStage(failover: boolean): Promise<Stage> {
  const cluster: TestCluster = await createTestCluster({
    instances: INSTANCES,
    latencyMs: 2,
    sessionTimeoutMs: 5 * SECOND,
    drainTimeoutMs: 2 * SECOND,
    jobs: [],
    templates: [{ name: 'report', handler: ({ shardingItem }, { clock }) => clock.sleep(100 * shardingItem) }],
  });
  const witness = await operatorOf(cluster);
  const mortal = new OperatorProcess(cluster);
  await cluster.clock.advanceUntil(mortal.center.connect());
  const roots: Stage['roots'] = [];
  cluster.registry.onCommit(({ operations, sessionId }) => {
    for (const operation of operations) {
      if (operation.path !== ROOT || operation.kind === 'check') continue;
      roots.push({ text: operation.kind === 'delete' ? undefined : operation.data, sessionId });
    }
  });
  const jobs = new JobOperateApi(witness, cluster.clock);
  return { cluster, living: new Set(range(INSTANCES)), mortal, witness, jobs, job: { ...NEW, failover }, roots };
}

export async function endStage({ cluster, mortal, witness }: Stage): Promise<void> {
  await witness.close();
  await cluster.clock.advanceUntil(mortal.stop());
  await cluster.stop();
  await cluster.advance(10 * SECOND);
  expect(cluster.clock.pendingTimers).toBe(0);
}

/** The instances run items of the job that take a while. */
export async function untilItRuns({ cluster, jobs, job }: Stage): Promise<void> {
  await jobs.create(job);
  await cluster.advance(6 * SECOND);
  const isRunning = () => cluster.runs(NAME).some(({ endedAt }) => endedAt === undefined);
  while (!isRunning()) await cluster.advance(10);
}

/** The job has been run, and no instance is left. */
export async function untilAllHaveLeft(stage: Stage): Promise<void> {
  const { cluster, living } = stage;
  await untilItRuns(stage);
  for (const index of living) await cluster.leave(index);
  living.clear();
  limitRequests(stage, SMALL_REQUEST_BYTES);
}

export function limitRequests({ cluster, mortal }: Stage, value: number): void {
  const centers = [mortal.center, ...cluster.instances.map(({ center }) => center)];
  for (const center of centers) Object.defineProperty(center, 'maxRequestBytes', { value, configurable: true });
}

export function leaderOf({ cluster }: Stage): number {
  return cluster.instances.findIndex(({ runtime }) => runtime.leader.isLeader(NAME));
}

export function deleterOf({ cluster, roots }: Stage): number {
  const { text, sessionId } = roots.at(-1)!;
  expect(text).toBeUndefined();
  return cluster.instances.findIndex(({ center }) => center.session.id === sessionId);
}

export async function expectGone({ cluster, living, witness }: Stage): Promise<void> {
  expect(await witness.children('/')).toEqual([]);
  const joined = [...living].flatMap((index) => cluster.instances[index]!.runtime.registrar.all);
  expect(joined.map(({ jobName }) => jobName)).toEqual([]);
}

/** Every living instance is in the job, and its items run. */
export async function expectRuns({ cluster, living }: Stage): Promise<void> {
  const before = cluster.runs(NAME).length;
  await cluster.advance(11 * SECOND);
  const runs = cluster.runs(NAME).slice(before);
  expect(new Set(runs.map(({ item }) => item))).toEqual(new Set(ITEMS));
  expect(new Set(cluster.assignment(NAME).values())).toEqual(living);
  for (const { runtime } of [...living].map((index) => cluster.instances[index]!)) {
    expect(runtime.registrar.all.map(({ jobName }) => jobName)).toEqual([NAME]);
  }
}

/** A fire time of an item runs once, and again only as the failover of a run that a dead instance has not settled. */
export function expectNothingTwice(runs: readonly TestRun[], victim: number | undefined): void {
  expectGrowingTokens(runs);
  const seen = new Map<string, TestRun>();
  const twice: string[] = [];
  for (const run of runs) {
    const target = `item ${run.item} for ${new Date(run.fireTime).toISOString()}`;
    const former = seen.get(target);
    const isRescue = former?.instance === victim && run.source === 'FAILOVER';
    if (former !== undefined && !isRescue) twice.push(`${target}, by ${former.instance} and ${run.instance}`);
    seen.set(target, run);
  }
  expect(twice).toEqual([]);
}
