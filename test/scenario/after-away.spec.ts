import { afterEach, describe, expect, it } from 'vitest';
import { JobConfigurationApi, JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { child, DependentJobs, MINUTE, parent } from './support/dependent-jobs.js';

type ParentsAway = Extract<JobEvent, { kind: 'parents-away' }>;

/** The time for which a parent has to be away until the child tells of it, and until the next look at it. */
const TOLD_MS = 3 * MINUTE;
const NO_INSTANCE = { jobName: 'import', reason: 'no-instance' };

let jobs: DependentJobs;
let operate: JobOperateApi;
afterEach(() => jobs.stop());

describe('a job whose parent runs nowhere', () => {
  it('is told of once, and as degraded, when all instances of the parent are gone', async () => {
    await start();
    await operate.shutdown('import');
    await jobs.advance(TOLD_MS);
    const reasons = readinessReasons();
    await jobs.advance(10 * MINUTE);

    expect(told()).toMatchObject([{ jobName: 'report', parents: [NO_INSTANCE] }]);
    expect(reasons).toEqual(['job "report" waits for jobs that do not run: import (no instance)']);
  });

  it('is told of when an operator has disabled the parent', async () => {
    await start();
    await operate.disable('import');
    await jobs.advance(TOLD_MS);

    expect(told()).toMatchObject([{ jobName: 'report', parents: [{ jobName: 'import', reason: 'disabled' }] }]);
    expect(readinessReasons()).toContain('job "report" waits for jobs that do not run: import (disabled)');
  });

  it('is told to go on once the parent is back, and is ready again', async () => {
    await start();
    await operate.disable('import');
    await jobs.advance(TOLD_MS);
    await operate.enable('import');
    await jobs.advance(MINUTE);

    expect(told().slice(1)).toEqual([{ kind: 'parents-away', jobName: 'report', parents: [] }]);
    expect(readinessReasons()).toEqual([]);
  });

  it('is told of by the next leader too, but not by a former one', async () => {
    await start();
    await operate.shutdown('import');
    await jobs.advance(TOLD_MS);
    const leader = jobs.cluster.instances.findIndex((_, index) => toldBy(index).length > 0);
    await jobs.cluster.leave(leader);
    await jobs.advance(TOLD_MS);

    expect(toldBy(leader)).toHaveLength(1);
    expect(toldBy(1 - leader)).toMatchObject([{ parents: [NO_INSTANCE] }]);
  });

  it('is not told of while the service of the parent restarts, for two minutes', async () => {
    await start();
    await operate.shutdown('import');
    await jobs.advance(2 * MINUTE - 10_000);
    await jobs.cluster.join();
    await jobs.advance(5 * MINUTE);

    expect(told()).toEqual([]);
  });

  it('is told of once, within a minute, when an operator has removed the parent', async () => {
    await start();
    await new JobConfigurationApi(jobs.operator).removeJobConfiguration('import');
    await jobs.advance(MINUTE + 1_000);
    const first = told();
    await jobs.advance(5 * MINUTE);

    expect(first).toMatchObject([{ jobName: 'report', parents: [{ jobName: 'import', reason: 'missing' }] }]);
    expect(told()).toEqual(first);
  });
});

it('a job after a misspelled one is told with the name that was probably meant', async () => {
  jobs = await DependentJobs.start([parent(), child({ after: 'imports' })]);
  await jobs.advance(1_000);

  expect(told()).toMatchObject([{ parents: [{ jobName: 'imports', reason: 'missing', nearest: 'import' }] }]);
});

it('a job whose parent is in the same process looks at it from memory', async () => {
  jobs = await DependentJobs.start([parent({ cron: '0 0 0 1 1 ? 2099' }), child()], 1);
  await jobs.advance(MINUTE);
  const { traffic } = jobs.cluster.instances[0]!.center;
  const before = traffic.foreground;

  await jobs.advance(5 * MINUTE);

  expect(traffic.foreground - before).toBe(0);
});

async function start(): Promise<void> {
  jobs = await DependentJobs.start([parent(), child()]);
  operate = new JobOperateApi(jobs.operator, jobs.cluster.clock);
}

function toldBy(index: number): ParentsAway[] {
  return jobs.cluster.events(index).filter((event) => event.kind === 'parents-away');
}

function told(): ParentsAway[] {
  return [...jobs.cluster.instances.keys()].flatMap(toldBy);
}

/** The reasons of all instances that are about the child. */
function readinessReasons(): string[] {
  const reasons = jobs.cluster.instances.flatMap(({ runtime }) => judgeReadiness(runtime.status()).details.reasons);
  return reasons.filter((reason) => reason.includes('"report"'));
}
