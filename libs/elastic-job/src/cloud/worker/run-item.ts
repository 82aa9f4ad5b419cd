import type { Clock } from '../../clock/index.js';
import { hiddenProps, type JobConfiguration, type KnownListener, type ShardOutcome } from '../../domain/index.js';
import { type ExecutableJob, JobExecutor, JobListeners } from '../../executor/index.js';
import { MissingRegistryError } from '../../registry/index.js';
import type { TaskEnvelope } from '../task-envelope.js';
import type { TaskLease } from './task-lease.js';

/** The work of a task in its application. */
export interface TaskWork extends ExecutableJob {
  /** Settings of the declaration, which the envelope overrides. */
  readonly configuration: JobConfiguration;
  readonly listeners: readonly KnownListener[];
  /** Called when a listener has failed; the run goes on. */
  onListenerError(error: unknown, method: string): void;
}

/** Barriers of listeners work where the items are shared, at the scheduler. */
const NOWHERE = {
  meet: () => Promise.reject(new MissingRegistryError('RunBarrier.meet')),
  leave: () => {},
};

/**
 * Runs the item of a task, with its retries, as an instance runs an item of a lease. Never rejects.
 * @param hungGraceMs how long the handler may go on after its signal, in milliseconds
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
  const perItem = work.listeners.filter(({ distributesOnce }) => !distributesOnce);
  const listeners = new JobListeners(perItem, () => NOWHERE, executor, {
    clock,
    hungGraceMs,
    onError: (error, method) => work.onListenerError(error, method),
    onHung: (_lease, hung) => work.onHung?.(hung),
    onReturned: () => {},
  });
  const notified = await listeners.before(lease, configuration);
  let ended: ShardOutcome = { kind: 'aborted', reason: lease.signal.reason };
  await executor.run(lease, { ...work, configuration, formerAttempts: envelope.attempt - 1 }, (item, outcome) => {
    lease.settle(item, outcome);
    ended = outcome;
  });
  await notified.after();
  return ended;
}

/** Settings of the run: the scheduler's, and the application's own where the envelope has none. */
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
    // A task whose handler ignores its signal ends all the same.
    onHung: 'release',
  };
}
