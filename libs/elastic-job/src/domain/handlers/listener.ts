import type { JobName } from '../cluster/index.js';
import type { JobConfiguration } from '../options/index.js';
import type { ExecutionSource, GuaranteePhase } from '../run/index.js';

/** A run, as a listener sees it: all items that this instance runs for one trigger. */
export interface ShardingContexts {
  readonly jobName: JobName;
  /** ElasticJob's task id: `{job}@-@{items}@-@READY@-@{instance id}`. */
  readonly taskId: string;
  readonly shardingTotalCount: number;
  readonly jobParameter: string;
  /** Items that this instance is about to run, or has run, each with its entry of `shardingItemParameters`. */
  readonly shardingItemParameters: ReadonlyMap<number, string | undefined>;
  /** The scheduled instant of this run. */
  readonly fireTime: Date;
  readonly source: ExecutionSource;
  /** Aborts when this instance may no longer act for any of the items, or when the listener has used its time. */
  readonly signal: AbortSignal;
}

/** Meeting point for all items of a run, on all their instances. */
export interface RunBarrier {
  /**
   * Resolves when every item that can run has reached the phase. The last instance to arrive calls `atLast` first, and
   * it alone does. Later arrivals do not wait.
   * @param timeoutMs longest wait, in milliseconds
   * @throws {GuaranteeTimeoutError} @throws what `atLast` throws, if it was called here @throws the signal's reason
   */
  meet(phase: GuaranteePhase, timeoutMs: number, atLast: () => unknown): Promise<void>;
}

/**
 * Called around each run of a job on this instance. A thrown value is reported, and the run goes on. The job's
 * `timeoutMs` aborts `contexts.signal`, and a listener that goes on after that is reported as a handler is (`hung`).
 * @see ElasticJob, `ElasticJobListener`
 */
export interface ElasticJobListener {
  /**
   * Name for `jobListenerTypes`: only jobs that name it have this listener. Without a type every job of the module has
   * it.
   */
  readonly type?: string;
  /** Listeners with a lower order are called first, before the run and after it. @default 2147483647 */
  readonly order?: number;
  /** Called when the items are begun and before any handler starts. A returned promise is awaited. */
  beforeJobExecuted(contexts: ShardingContexts, barrier: RunBarrier): unknown;
  /** Called when the items are settled. A returned promise is awaited. */
  afterJobExecuted(contexts: ShardingContexts, barrier: RunBarrier): unknown;
}

/** Longest wait of a distribute-once listener unless it says otherwise, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Runs code once for all items of a run: before the first handler starts anywhere, and after the last one has ended.
 * All instances wait for each other at both points. Beside Java peers it needs a `type` that is in `jobListenerTypes`,
 * and each peer a listener of that type; otherwise the instance refuses to start.
 * @see ElasticJob, `AbstractDistributeOnceElasticJobListener`
 */
export abstract class DistributeOnceElasticJobListener implements ElasticJobListener {
  readonly type?: string;
  readonly order?: number;

  /**
   * @param startedTimeoutMs longest wait until all have begun, in milliseconds
   * @param completedTimeoutMs longest wait until all have ended, in milliseconds
   */
  constructor(
    readonly startedTimeoutMs = DEFAULT_TIMEOUT_MS,
    readonly completedTimeoutMs = DEFAULT_TIMEOUT_MS,
  ) {}

  /** Called on the last instance to begin, while all others wait. */
  abstract doBeforeJobExecutedAtLastStarted(contexts: ShardingContexts): unknown;
  /** Called on the last instance to end, while all others wait. */
  abstract doAfterJobExecutedAtLastCompleted(contexts: ShardingContexts): unknown;

  beforeJobExecuted(contexts: ShardingContexts, barrier: RunBarrier): Promise<void> {
    const atLast = () => this.doBeforeJobExecutedAtLastStarted(contexts);
    return barrier.meet('started', this.startedTimeoutMs, atLast);
  }

  afterJobExecuted(contexts: ShardingContexts, barrier: RunBarrier): Promise<void> {
    const atLast = () => this.doAfterJobExecutedAtLastCompleted(contexts);
    return barrier.meet('completed', this.completedTimeoutMs, atLast);
  }
}

/** True for distribute-once listeners, also for those of another copy of this package. */
export function distributesOnce(listener: ElasticJobListener): boolean {
  return 'doBeforeJobExecutedAtLastStarted' in listener && 'doAfterJobExecutedAtLastCompleted' in listener;
}

/** ElasticJob's order of a listener without one. */
const LAST = 2_147_483_647;

/** The parts of a listener that jobs use, as they were read when it came: its getters are a user's code. */
export interface KnownListener {
  readonly listener: ElasticJobListener;
  readonly type: string | undefined;
  readonly order: number;
  /** Its name in messages. */
  readonly name: string;
  readonly distributesOnce: boolean;
}

/** @throws whatever the listener's getters throw */
export function readListener(listener: ElasticJobListener): KnownListener {
  const { order = LAST, type } = listener;
  const name: unknown = type ?? classNameOf(listener);
  return {
    listener,
    type,
    order,
    name: typeof name === 'string' && name !== '' ? name : 'a listener',
    distributesOnce: distributesOnce(listener),
  };
}

/** Undefined for an object without a class of its own, and for an imported module, which has no constructor. */
function classNameOf({ constructor }: Partial<object>): unknown {
  return constructor === Object ? undefined : constructor?.name;
}

/** Listeners that a job names by type, and those without a type. */
export function listenersOf(
  { jobListenerTypes }: Pick<JobConfiguration, 'jobListenerTypes'>,
  listeners: readonly KnownListener[],
): readonly KnownListener[] {
  return listeners.filter(({ type }) => type === undefined || jobListenerTypes.includes(type));
}

/**
 * Finds the distribute-once listeners that Java peers do not call: these wait for all items, and an item of such a peer
 * never arrives. One text each, with the remedy.
 * @param javaListenerTypes types that Java reads when it starts; it does not start if it lacks one
 */
export function findUnshareableListeners(
  onceListeners: readonly Pick<ElasticJobListener, 'type'>[],
  javaListenerTypes: readonly string[],
): string[] {
  return onceListeners.filter(({ type }) => type === undefined || !javaListenerTypes.includes(type)).map(describe);
}

function describe({ type }: Pick<ElasticJobListener, 'type'>): string {
  if (type === undefined) {
    return (
      'a distribute-once listener has no type by which Java could find it; give it the type of the listener that the ' +
      'Java peers have, and name that in jobListenerTypes'
    );
  }
  return (
    `jobListenerTypes lacks "${type}" where Java reads it, so Java peers do not call this distribute-once listener; ` +
    'start once with overwrite: true, or add it to the list in the config node, and then restart the Java peers'
  );
}
