import type { Clock } from '../../clock/index.js';
import {
  DistributeOnceElasticJobListener,
  type ElasticJobListener,
  hiddenProps,
  type JobConfiguration,
  type ShardOutcome,
} from '../../domain/index.js';
import { type ExecutableJob, JobExecutor, JobListeners } from '../../executor/index.js';
import { MissingRegistryError } from '../../registry/index.js';
import type { TaskEnvelope } from '../task-envelope.js';
import type { TaskLease } from './task-lease.js';

/** The work of a task, as its application has it. */
export interface TaskWork extends ExecutableJob {
  /** As the application declares the job; the envelope goes over it. */
  readonly configuration: JobConfiguration;
  readonly listeners: readonly ElasticJobListener[];
  /** A listener has failed; the run goes on. */
  onListenerError(error: unknown): void;
}

/** Listeners that wait for other items wait where the items are shared, at the scheduler. */
const NOWHERE = {
  meet: () => Promise.reject(new MissingRegistryError('RunBarrier.meet')),
  leave: () => {},
};

/**
 * Runs the item of a task, with its retries, as an instance runs one of a lease. Never rejects.
 * @param hungGraceMs how long the handler may take to heed its signal, in milliseconds
 */
export async function runItem(
  clock: Clock,
  envelope: TaskEnvelope,
  lease: TaskLease,
  work: TaskWork,
  hungGraceMs: number,
): Promise<ShardOutcome> {
  const configuration = configurationOf(envelope, work.configuration);
  const executor = new JobExecutor(clock, { tokenEpoch: envelope.tokenEpoch, hungGraceMs });
  const perItem = work.listeners.filter((listener) => !(listener instanceof DistributeOnceElasticJobListener));
  const listeners = new JobListeners(
    perItem,
    () => NOWHERE,
    (error) => work.onListenerError(error),
  );
  const told = await listeners.before(lease, configuration);
  const job = { ...work, configuration, formerAttempts: envelope.attempt - 1 };
  let ended: ShardOutcome = { kind: 'aborted', reason: lease.signal.reason };
  for await (const { item, outcome } of executor.run(lease, job)) {
    lease.settle(item, outcome);
    ended = outcome;
  }
  await told.after();
  return ended;
}

/** The settings of the run: those of the scheduler, and of the application's own what no envelope says. */
function configurationOf(envelope: TaskEnvelope, declared: JobConfiguration): JobConfiguration {
  const { jobParameter, props, retries, shardingItem, shardingParameter, shardingTotalCount, timeoutMs } = envelope;
  return {
    ...declared,
    ...retries,
    jobParameter,
    shardingTotalCount,
    shardingItemParameters: shardingParameter === undefined ? '' : `${shardingItem}=${shardingParameter}`,
    props: hiddenProps(props),
    timeoutMs,
    concurrency: undefined,
    // A task that does not heed its signal ends all the same.
    onHung: 'release',
  };
}
