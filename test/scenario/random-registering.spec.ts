import { expect, it } from 'vitest';
import { ElasticJobError, type ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import type { JobRegistrar } from '../../libs/elastic-job/src/runtime/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { Seeded } from '@test/support/seeded.js';
import { operatorOf, traces } from './support/registry-walk.js';
import { expectGrowingTokens, range } from './support/run-checks.js';

const JOB = 'settle-orders';
const OPTIONS = { name: JOB, cron: '0/5 * * * * ?', shardingTotalCount: 3, failover: true };
const DRAIN_TIMEOUT_MS = 4_000;
/** Marks that a handler leaves if it ignores its signal. The next leader sweeps them. */
const MARKS_OF_HUNG = /\/(running|failovering)$/;
/** The instance whose jobs come and go; the other one stays. */
const BUSY = 0;

/** 'done', or the code of the error. */
type Outcome = string;

it.each(range(40))(
  'calls of JobRegistrar end as its table says, and no stale handler is held (seed %i)',
  async (seed) => {
    const chance = new Seeded(seed + 1);
    const stale: string[] = [];
    const wrong: string[] = [];
    const handler = (context: ShardingContext) => work(cluster, chance, context, stale);
    const cluster = await createTestCluster({
      instances: 2,
      seed,
      latencyMs: 20,
      drainTimeoutMs: DRAIN_TIMEOUT_MS,
      hungGraceMs: 2_000,
      jobs: [{ ...OPTIONS, handler }],
    });
    const operator = await operatorOf(cluster);
    const calls: Promise<unknown>[] = [];
    for (const _ of range(40)) {
      calls.push(...callOne(cluster, chance, new JobOperateApi(operator, cluster.clock), handler, wrong));
      await cluster.advance(chance.below(2_500));
    }
    await cluster.heal(BUSY);

    const { runtime } = cluster.instances[BUSY]!;
    const before = cluster.clock.monotonicNow();
    const stopping = runtime.stop();
    calls.push(
      expectOutcome(
        'add after stop',
        runtime.registrar.add(OPTIONS, () => {}),
        ['SHUTTING_DOWN'],
        wrong,
      ),
    );
    await cluster.clock.advanceUntil(stopping);
    const lastedMs = cluster.clock.monotonicNow() - before;
    await cluster.clock.advanceUntil(Promise.all(calls));

    expect(lastedMs).toBeLessThanOrEqual(DRAIN_TIMEOUT_MS + 3_000);
    expect([wrong, stale]).toEqual([[], []]);
    expectGrowingTokens(cluster.runs(JOB));
    await cluster.stop();
    await cluster.advance(10_000); // Time for handlers that ignore their signal to return.
    expect(cluster.clock.pendingTimers).toBe(0);
    expect((await traces(operator, JOB)).filter((path) => !MARKS_OF_HUNG.test(path))).toEqual([]);
  },
  20_000,
);

/** One random event of the busy instance or its job. @returns the calls to await before the test ends */
function callOne(
  cluster: TestCluster,
  chance: Seeded,
  operate: JobOperateApi,
  handler: (context: ShardingContext) => unknown,
  wrong: string[],
): Promise<unknown>[] {
  const { registrar } = cluster.instances[BUSY]!.runtime;
  const state = stateOf(registrar);
  const expectAll = (name: string, call: () => unknown, outcomes: Readonly<Record<State, readonly Outcome[]>>) => [
    expectOutcome(`${name}, ${state}`, attempt(call), outcomes[state], wrong),
  ];
  switch (chance.below(10)) {
    case 0:
    case 1:
      return expectAll('add', () => registrar.add(OPTIONS, handler), {
        free: ['done', 'SESSION_LOST', 'REGISTRY_UNAVAILABLE', 'LEFT_JOB'],
        taken: ['CONFIGURATION'],
        leaving: ['done', 'SESSION_LOST', 'REGISTRY_UNAVAILABLE', 'LEFT_JOB', 'CONFIGURATION', 'SHUTTING_DOWN'],
      });
    case 2:
    case 3:
      return expectAll('remove', () => registrar.remove(JOB), {
        free: ['UNKNOWN_JOB'],
        taken: ['done'],
        leaving: ['done'],
      });
    case 4:
      return expectAll('change', () => registrar.change(JOB, { jobParameter: `p${chance.below(9)}` }), {
        free: ['UNKNOWN_JOB'],
        taken: ['done', 'SESSION_LOST', 'REGISTRY_UNAVAILABLE', 'LEFT_JOB'],
        leaving: ['UNKNOWN_JOB'],
      });
    case 5:
      return expectAll('pause', () => registrar.pause(JOB), known);
    case 6:
      return expectAll('resume', () => registrar.resume(JOB), known);
    case 7:
      return [attempt(() => operate.trigger(JOB))];
    case 8:
      return [attempt(() => operate.cancel(JOB, chance.below(3)))];
    default:
      return [disturb(cluster, chance)];
  }
}

type State = 'free' | 'taken' | 'leaving';

const known = { free: ['UNKNOWN_JOB'], taken: ['done'], leaving: ['UNKNOWN_JOB'] };

function stateOf(registrar: JobRegistrar): State {
  if (registrar.jobs.length > 0) return 'taken';
  return registrar.all.length > 0 ? 'leaving' : 'free';
}

async function disturb(cluster: TestCluster, chance: Seeded): Promise<void> {
  cluster.partition(BUSY);
  await cluster.clock.sleep(chance.below(15_000));
  await cluster.heal(BUSY).catch(() => {}); // Another disturbance has healed it meanwhile.
}

async function attempt(call: () => unknown): Promise<unknown> {
  return call();
}

async function expectOutcome(
  name: string,
  call: Promise<unknown>,
  expected: readonly Outcome[],
  wrong: string[],
): Promise<void> {
  const outcome = await call.then(
    () => 'done',
    (error: unknown) => (error instanceof ElasticJobError ? error.code : String(error)),
  );
  if (!expected.includes(outcome)) wrong.push(`${name}: ${outcome}`);
}

/**
 * A handler that checks now and then whether it still holds its item. It may ignore its signal, and may outlast the
 * drain.
 */
async function work(cluster: TestCluster, chance: Seeded, context: ShardingContext, stale: string[]): Promise<void> {
  const heeds = chance.below(3) > 0;
  const { signal } = context;
  const isDone = () => heeds && signal.aborted;
  for (let left = chance.below(30); left > 0 && !isDone(); left -= 1) {
    await cluster.clock.sleep(250);
    if (isHeld(context) && isSuperseded(cluster, context)) stale.push(`item ${context.shardingItem} ${context.token}`);
  }
}

function isHeld(context: ShardingContext): boolean {
  try {
    context.assertHeld();
    return true;
  } catch {
    return false;
  }
}

function isSuperseded(cluster: TestCluster, { shardingItem, token }: ShardingContext): boolean {
  return cluster.runs(JOB).some((run) => run.item === shardingItem && run.token! > token!);
}
