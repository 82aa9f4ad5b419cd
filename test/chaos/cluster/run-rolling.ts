import { setTimeout as delay } from 'node:timers/promises';
import { inexact, type JobPlan, matchTargets, targetsOf, type Violation } from './check/index.js';
import { type ChaosOptions, clusterOptions, leaveInOrder } from './run-chaos.js';
import { Cluster } from './stage/cluster.js';

const JOBS: readonly JobPlan[] = ['first', 'second'].map((name) => ({
  name,
  cron: '* * * * * ?',
  periodMs: 1_000,
  items: 10,
}));
const LONG_ENOUGH_MS = 2_500;
/** Pause between two replacements, chosen so that they come at every phase of a second. */
const CALM_MS = 730;

/** Result of a rolling restart. */
export interface RollingResult {
  readonly restarts: number;
  readonly targets: number;
  readonly violations: readonly Violation[];
  readonly missed: number;
  readonly doubled: number;
  readonly left: number;
}

/** Replaces each worker in turn by one with a changed decorator, while jobs of one second go on. */
export async function runRolling(options: Omit<ChaosOptions, 'ms' | 'seed'>, workers: number): Promise<RollingResult> {
  const version = { leastMs: 20, mostMs: 300, version: '' };
  const given = { namespace: `rolling-${options.kind}`, jobs: JOBS, workers, version };
  const cluster = await Cluster.start(clusterOptions(options, given));
  const { workforce, tree } = cluster;
  try {
    await delay(LONG_ENOUGH_MS);
    const from = Date.now();
    workforce.version = { leastMs: 100, mostMs: 500, version: 'changed' };
    for (const worker of workforce.all) {
      await workforce.leave(worker);
      await workforce.join();
      await delay(CALM_MS);
    }
    await tree.untilShared(30_000);
    await delay(LONG_ENOUGH_MS);
    // Leaves out the last second, whose targets may still be under way.
    const span = { from, to: Date.now() - 1_000 };
    // All workers leave before the logs are read, so all their runs are logged.
    const litter = await leaveInOrder(cluster);
    const found = inexact(matchTargets(await cluster.history(span)), span);
    const count = (rule: string) => found.filter((each) => each.rule === rule).length;
    return {
      restarts: workers,
      targets: JOBS.reduce((sum, job) => sum + targetsOf(job, span).length * job.items, 0),
      violations: [...found, ...litter],
      missed: count('missed'),
      doubled: count('doubled'),
      left: litter.length,
    };
  } finally {
    await cluster.stop();
  }
}
