import { inOwnContext } from '../async-context/index.js';
import type { ExecutionLease, GuaranteedRun } from '../coordination/index.js';
import {
  type ElasticJobListener,
  type JobConfiguration,
  parseShardingItemParameters,
  type ShardingContexts,
} from '../domain/index.js';

/** ElasticJob's order of a listener without one. */
const LAST = 2_147_483_647;

/** A lease whose listeners have been called for its beginning. */
interface ToldLease {
  /** Calls them for the end, in order. Never rejects. */
  after(): Promise<void>;
}

/**
 * Calls the listeners of one job for its leases on this instance. Errors of listeners are reported, and have no other
 * effect.
 */
export class JobListeners {
  private readonly listeners: readonly ElasticJobListener[];

  constructor(
    listeners: readonly ElasticJobListener[],
    private readonly enter: (lease: ExecutionLease) => Pick<GuaranteedRun, 'meet' | 'leave'>,
    private readonly onError: (error: unknown) => void,
  ) {
    this.listeners = listeners.toSorted((a, b) => (a.order ?? LAST) - (b.order ?? LAST));
  }

  /** Calls them for the beginning of a lease, in order. Never rejects. */
  async before(lease: ExecutionLease, configuration: JobConfiguration): Promise<ToldLease> {
    const called = listenersOf(configuration, this.listeners);
    if (called.length === 0) return { after: () => Promise.resolve() };
    const contexts = contextsFor(lease, configuration);
    const barrier = this.enter(lease);
    await this.tell(called, (listener) => listener.beforeJobExecuted(contexts, barrier));
    return {
      after: async () => {
        await this.tell(called, (listener) => listener.afterJobExecuted(contexts, barrier));
        barrier.leave();
      },
    };
  }

  private async tell(
    listeners: readonly ElasticJobListener[],
    call: (listener: ElasticJobListener) => unknown,
  ): Promise<void> {
    for (const listener of listeners) {
      try {
        await inOwnContext(() => call(listener));
      } catch (error) {
        this.onError(error);
      }
    }
  }
}

/** Listeners that the job names by type, and those without a type. */
function listenersOf(
  { jobListenerTypes }: JobConfiguration,
  listeners: readonly ElasticJobListener[],
): readonly ElasticJobListener[] {
  return listeners.filter(({ type }) => type === undefined || jobListenerTypes.includes(type));
}

function contextsFor(lease: ExecutionLease, configuration: JobConfiguration): ShardingContexts {
  const parameters = parseShardingItemParameters(configuration.shardingItemParameters);
  return Object.freeze({
    jobName: lease.jobName,
    taskId: lease.taskId,
    shardingTotalCount: configuration.shardingTotalCount,
    jobParameter: configuration.jobParameter,
    shardingItemParameters: new Map(lease.items.map((item) => [item, parameters.get(item)])),
    fireTime: new Date(lease.trigger.fireTime),
    source: lease.trigger.source,
    signal: lease.signal,
  });
}
