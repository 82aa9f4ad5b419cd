import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundle, bundle } from '@test/support/bundle/bundle.js';
import { Seeded } from '@test/support/seeded.js';
import { type JobPlan, linesOf, type Violation } from '../cluster/check/index.js';
import { type ChaosOptions, type ChaosResult, clusterOptions, judged } from '../cluster/run-chaos.js';
import { Cluster } from '../cluster/stage/cluster.js';
import { countTasks, type TaskCounts, taskFaults } from './check-tasks.js';
import { processFaults } from './check-processes.js';
import { ProcessWatch } from './process-watch.js';
import { type Kill, strikeSchedulers } from './strikes.js';
import { DEAF_JOB, type TaskLine } from './task-line.js';

const SCHEDULERS = 3;
/** The shorter period is no longer than the slack, so a target that is left out is always found. */
const JOBS: readonly JobPlan[] = [
  { name: 'each-three-seconds', cron: '0/3 * * * * ?', periodMs: 3_000, items: 8 },
  { name: 'each-ten-seconds', cron: '0/10 * * * * ?', periodMs: 10_000, items: 8 },
  { name: DEAF_JOB, cron: '0/10 * * * * ?', periodMs: 10_000, items: 4 },
];

/** Every item has been begun once by then. Its owners know only from there on which targets they have missed. */
const WARM_UP_MS = 14_000;

/** The result of a chaos run. */
export interface TasksResult {
  readonly chaos: ChaosResult;
  /** Violations of the judge of runs, of the ledger of tasks, and of the processes as they were seen. */
  readonly violations: readonly Violation[];
  readonly counts: TaskCounts;
  readonly kills: readonly Kill[];
}

/** Builds the programs of schedulers and their tasks. */
export async function buildTaskPrograms(): Promise<ChaosOptions['programs'] & Pick<Bundle, 'remove'>> {
  const made = await bundle({
    scheduler: 'test/chaos/tasks/scheduler.fixture.ts',
    task: 'test/chaos/tasks/task.fixture.ts',
    supervisor: 'libs/elastic-job/src/cloud/process/supervisor/task-supervisor.ts',
  });
  return { node: fileURLToPath(made.url('scheduler')), remove: () => made.remove() };
}

/** Runs three schedulers with tasks in child processes for that time, and strikes one after the other. */
export async function runTasks(options: ChaosOptions & { readonly keep: string }): Promise<TasksResult> {
  const { keep, ms, seed, slackMs } = options;
  const version = { leastMs: 50, mostMs: 1_500, version: '' };
  const given = { namespace: `chaos-tasks-${seed}`, jobs: JOBS, workers: SCHEDULERS, version };
  const watch = new ProcessWatch(keep);
  const cluster = await Cluster.start({ ...clusterOptions(options, given), slackMs, keep });
  try {
    let kills: readonly Kill[] = [];
    const breakIt = async () => {
      kills = await strikeSchedulers(cluster, new Seeded(seed), ms);
    };
    const chaos = await judged(cluster, breakIt, WARM_UP_MS);
    const lines = await readLedger(keep);
    const seen = processFaults(watch.lives);
    const violations = [...chaos.violations, ...taskFaults(lines, cluster.faults.faults), ...seen];
    return { chaos, violations, counts: countTasks(lines), kills };
  } finally {
    await cluster.stop();
    await watch.stop();
  }
}

async function readLedger(directory: string): Promise<readonly TaskLine[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.runs.log'));
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  return texts.flatMap((text) => linesOf(text).map((line): TaskLine => JSON.parse(line)));
}
