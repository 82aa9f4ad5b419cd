import { inPackageContext } from '../async-context/index.js';
import type { ExecutionLease } from '../coordination/index.js';
import {
  type Checkpoint,
  handled,
  parseShardingItemParameters,
  type JobConfiguration,
  requestIdOf,
  type ShardingContext,
  type Trigger,
} from '../domain/index.js';

/** @param attempt counted from 1 */
export type ContextOf = (item: number, attempt: number) => ShardingContext;

/** Values that the contexts of one lease have in common. */
interface LeaseFacts {
  readonly lease: ExecutionLease;
  readonly configuration: JobConfiguration;
  readonly parameters: ReadonlyMap<number, string>;
  readonly taskId: string;
  readonly trigger: ShardingContext['trigger'];
  readonly tokenEpoch: number;
}

/** Makes the contexts of a lease's items: frozen, and without any mutable value that two of them share. */
export function contextsOf(lease: ExecutionLease, configuration: JobConfiguration, tokenEpoch: number): ContextOf {
  const parameters = parseShardingItemParameters(configuration.shardingItemParameters);
  const facts = {
    lease,
    configuration,
    parameters,
    taskId: lease.taskId,
    trigger: askedBy(lease.trigger),
    tokenEpoch,
  };
  return (item, attempt) => Object.freeze(new ItemContext(facts, item, attempt));
}

/** Key of a context's lease. A private field could not be read through a proxy or an object derived from a context. */
const LEASE = Symbol('lease');

/**
 * The context of one item. All properties are its own, so that a copy (`{ ...context }`) has them too; a getter of the
 * class would be missing there. `defineProperty` gives all contexts the same getters: V8 describes each object anew
 * whose getters are closures of its own. Measured in Node 20: 2 µs and 340 bytes a context this way, 7 µs and 1.3 KB
 * with closures, and 1 µs with getters of the class.
 */
class ItemContext implements ShardingContext {
  private static readonly getters = {
    signal: {
      enumerable: true,
      get(this: ItemContext) {
        return this[LEASE].signalOf(this.shardingItem);
      },
    },
    checkpoint: {
      enumerable: true,
      get(this: ItemContext) {
        return handledCheckpoint(this[LEASE].checkpoint(this.shardingItem));
      },
    },
    // A date cannot be frozen, and a tracer gets the handler's context.
    fireTime: {
      enumerable: true,
      get(this: ItemContext) {
        return new Date(this[LEASE].trigger.fireTime);
      },
    },
  };

  declare readonly [LEASE]: ExecutionLease;
  declare readonly signal: AbortSignal;
  declare readonly checkpoint: Checkpoint;
  declare readonly fireTime: Date;
  readonly jobName: ShardingContext['jobName'];
  readonly taskId: string;
  readonly jobParameter: string;
  readonly shardingTotalCount: number;
  readonly source: ShardingContext['source'];
  readonly trigger: ShardingContext['trigger'];
  readonly tokenEpoch: number;
  readonly props: ShardingContext['props'];
  readonly shardingParameter: string | undefined;
  readonly token: bigint | undefined;
  readonly assertHeld: () => void;
  readonly isMoving: () => boolean;

  constructor(
    { lease, configuration, parameters, taskId, trigger, tokenEpoch }: LeaseFacts,
    readonly shardingItem: number,
    readonly attempt: number,
  ) {
    Object.defineProperty(this, LEASE, { value: lease });
    this.jobName = lease.jobName;
    this.taskId = taskId;
    this.jobParameter = configuration.jobParameter;
    this.shardingTotalCount = configuration.shardingTotalCount;
    this.source = lease.trigger.source;
    this.trigger = trigger;
    this.tokenEpoch = tokenEpoch;
    this.props = configuration.props;
    this.shardingParameter = parameters.get(shardingItem);
    this.token = lease.token(shardingItem);
    this.assertHeld = () => inPackageContext(() => lease.assertHeld(shardingItem));
    this.isMoving = () => lease.isMoving(shardingItem);
    Object.defineProperty(this, 'signal', ItemContext.getters.signal);
    Object.defineProperty(this, 'checkpoint', ItemContext.getters.checkpoint);
    Object.defineProperty(this, 'fireTime', ItemContext.getters.fireTime);
  }
}

/** The checkpoint for a handler, which may forget to await it. */
function handledCheckpoint(checkpoint: Checkpoint): Checkpoint {
  return {
    save: (value) => handled(checkpoint.save(value)),
    load: () => handled(checkpoint.load()),
    clear: () => handled(checkpoint.clear()),
  };
}

function askedBy({ origin, parameters }: Trigger): ShardingContext['trigger'] {
  const id = requestIdOf(origin);
  return id === undefined ? 'schedule' : Object.freeze({ id, parameters });
}
