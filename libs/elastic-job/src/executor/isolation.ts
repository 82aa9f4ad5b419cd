import { inOwnContext } from '../async-context/index.js';
import type { Clock } from '../clock/index.js';
import {
  type CheckProps,
  ConfigurationError,
  handleRejection,
  type JobConfiguration,
  type ItemWork,
  type ShardingContext,
} from '../domain/index.js';

/** Context of a function in a thread: the clonable facts, with a `signal` and an `assertHeld` of its own. */
export type ThreadContext = Pick<ShardingContext, keyof ContextFacts | 'signal' | 'assertHeld'>;

/** Parts of a context that can be cloned. */
export type ContextFacts = Pick<
  ShardingContext,
  | 'jobName'
  | 'taskId'
  | 'jobParameter'
  | 'shardingTotalCount'
  | 'shardingItem'
  | 'shardingParameter'
  | 'fireTime'
  | 'source'
  | 'trigger'
  | 'attempt'
  | 'token'
  | 'tokenEpoch'
>;

/** Work for a thread of its own. */
export interface ThreadWork {
  /** The URL of the module. */
  readonly module: string;
  /** The name of the function that it exports. */
  readonly exportName: string;
  readonly context: ThreadContext;
  /** Passed to the function beside the context; has to be clonable. */
  readonly input: unknown;
  /** How long after the abort of its signal the thread is ended, in milliseconds; undefined: never. */
  readonly endAfterMs: number | undefined;
  readonly clock: Clock;
}

/**
 * Runs the exported function of a job's `workerModule` outside the main thread. `nestjs-elastic-job/worker-pool` has an
 * implementation.
 */
export interface WorkerPool {
  /** Finds why a module cannot be run, at start. One text, which begins with `must`. */
  findFault(module: string): string | undefined;
  /**
   * Resolves when the function has returned.
   * @throws the function's error
   * @throws {ExecutorDeathError} if its thread has died
   * @throws the signal's reason if the thread was ended
   */
  run(work: ThreadWork): Promise<void>;
  /** Ends all threads. The pool may be used again. */
  close(): Promise<void>;
}

/** Environment of an isolated handler. */
interface Isolation {
  readonly pool: WorkerPool | undefined;
  readonly clock: Clock;
  /** How long a handler may go on after its signal, in milliseconds. */
  readonly hungGraceMs: number;
  /** The settings in force. */
  configuration(): JobConfiguration;
}

/** A job as it is declared. */
interface DeclaredJob {
  readonly configuration: JobConfiguration;
  readonly place: string;
  readonly handler: ItemWork;
  /** Present if the work is no function: a dataflow, or a type. */
  readonly findPropsFaults?: CheckProps;
}

/**
 * The handler of a job, in a thread of its own if the job says so: then the return value of the handler is the input of
 * the function in the thread.
 * @throws {ConfigurationError} if there is no pool or no such module, if the job's work is no function, or for `onHung:
 * 'terminate'` without a thread
 */
export function isolate(job: DeclaredJob, isolation: Isolation): ItemWork {
  const { configuration, handler, place } = job;
  const { jobName, workerExport: exportName, workerModule: module } = configuration;
  const { clock, hungGraceMs, pool } = isolation;
  const fault = findFault(job, pool);
  if (fault !== undefined) throw new ConfigurationError(`job "${jobName}" (${place})`, [fault]);
  if (module === undefined || pool === undefined) return handler;
  return async (context) => {
    const input = await handler(context);
    const endAfterMs = isolation.configuration().onHung === 'terminate' ? hungGraceMs : undefined;
    await pool.run({ module, exportName, context, input, endAfterMs, clock });
  };
}

function findFault({ configuration, findPropsFaults }: DeclaredJob, pool?: WorkerPool): string | undefined {
  const { onHung, workerModule: module } = configuration;
  if (module === undefined) {
    if (onHung !== 'terminate') return undefined;
    return 'onHung "terminate" needs isolation "worker-thread": no other handler can be ended';
  }
  if (findPropsFaults !== undefined) {
    return 'isolation "worker-thread" needs a function as the work of the job, not a dataflow or a type';
  }
  if (pool === undefined) {
    return (
      'isolation "worker-thread" needs a pool of threads: ' +
      "give new WorkerThreads() of 'nestjs-elastic-job/worker-pool' to the module as its workerPool"
    );
  }
  const fault: unknown = inOwnContext(() => pool.findFault(module));
  handleRejection(fault);
  if (fault !== undefined && typeof fault !== 'string') return 'workerPool: findFault must return a text or undefined';
  return fault === undefined ? undefined : `workerModule ${fault}, but is ${JSON.stringify(module)}`;
}
