import { TaskJobType, type TaskScheduling } from '../../../libs/elastic-job/src/cloud/index.js';
import { readRecords, ShownTask } from '../../../libs/elastic-job/src/coordination/index.js';
import type { JobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import type { MemoryTaskCluster, TestCluster } from '../../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';

export const JOB = 'settle-orders';
export const MINUTE = 60_000;
/** Time that tasks take to end when they are told to, in milliseconds. */
export const GRACE_MS = 2_000;

/** A cluster, and the tasks that its instances schedule. */
export interface TaskStage {
  readonly cluster: TestCluster;
  readonly tasks: MemoryTaskCluster;
  /** Receives the events of tasks on any instance. @default none */
  readonly hear?: (event: JobEvent) => void;
}

/** Starts the backend of an instance. Its name in holds is `s0`, `s1` ... */
export async function schedulingOn(stage: TaskStage, index: number): Promise<TaskScheduling> {
  const { cluster, hear = () => {}, tasks } = stage;
  const { center, clock, runtime } = cluster.instances[index]!;
  const backend = tasks.backend(`s${index}`);
  await cluster.clock.advanceUntil(backend.start({ clock, cluster: 'c', emit: () => {} }));
  return {
    backend,
    cluster: 'c',
    clock,
    settingsOf: (jobName) => {
      const { timeoutMs } = runtime.registrar.of(jobName).configuration;
      return { template: {}, resources: { cpu: 1, memoryMb: 64 }, timeoutMs, graceMs: GRACE_MS };
    },
    recordsOf: (items, signal) => readRecords(center, items, { signal }),
    displayOf: ({ item, jobName }) => new ShownTask(center, jobName, item),
    emit: hear,
  };
}

/** Adds the job to an instance, with its items as tasks. It fires each minute. */
export async function addJobOfTasks(
  { cluster }: TaskStage,
  index: number,
  scheduling: TaskScheduling,
  options: Partial<JobOptions> = {},
): Promise<TaskJobType> {
  const type = new TaskJobType(scheduling);
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, ...options };
  await cluster.clock.advanceUntil(cluster.instances[index]!.runtime.registrar.add(job, type));
  return type;
}

/** Moves a little past the next fire time. */
export async function fire({ cluster }: Pick<TaskStage, 'cluster'>): Promise<void> {
  await cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + 1_000);
}
