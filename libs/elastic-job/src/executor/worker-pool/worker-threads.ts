import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { publicCalls } from '../../async-context/index.js';
import type { Timer } from '../../clock/index.js';
import {
  aboveZero,
  errorOfImport,
  ExecutorDeathError,
  executorDeathOf,
  isFileUrl,
  nested,
  type OptionRow,
  OptionTable,
  rule,
  wholeFrom,
} from '../../domain/index.js';
import type { ContextFacts, ThreadContext, ThreadWork, WorkerPool } from '../isolation.js';
import {
  type AbortMessage,
  ANSWER,
  FIELDS,
  portrayError,
  reviveError,
  STATE,
  STOPPING,
  type ThreadResult,
  type ThreadTask,
  WAITING,
} from './messages.js';

/** Options of `WorkerThreads`. */
export interface WorkerThreadsOptions {
  /**
   * Most threads at the same time. More work waits for one, within the time of its item; the job's `concurrency` can
   * limit it before.
   * @default the processors of the host
   */
  readonly maxThreads?: number;
  /** Limits of each thread; a thread that exceeds them dies alone. @default those of the process */
  readonly resourceLimits?: ResourceLimits;
  /**
   * Place of the file behind `nestjs-elastic-job/worker-pool-thread`, if the application is bundled.
   * @default beside this one
   */
  readonly threadUrl?: URL;
}

const size = aboveZero();
const RESOURCE_LIMITS = {
  maxYoungGenerationSizeMb: { rule: size },
  maxOldGenerationSizeMb: { rule: size },
  codeRangeSizeMb: { rule: size },
  stackSizeMb: { rule: size },
} as const satisfies Readonly<Record<keyof ResourceLimits, OptionRow>>;
const TABLE = new OptionTable(
  {
    maxThreads: { rule: wholeFrom(1) },
    resourceLimits: {
      rule: nested(
        'limits of node:worker_threads, such as { maxOldGenerationSizeMb: 64 }',
        new OptionTable(RESOURCE_LIMITS, 'a thread', 'resourceLimits.'),
      ),
    },
    threadUrl: { rule: rule('a file: URL', isFileUrl) },
  } satisfies Readonly<Record<keyof WorkerThreadsOptions, OptionRow>>,
  'WorkerThreads',
);

/**
 * Threads for jobs with `isolation: 'worker-thread'`. They are started on first use, and end with the application. The
 * function in a thread gets a `ThreadContext`, whose `signal` and `assertHeld()` work there too, and the return value
 * of the job's own method.
 *
 * The jobs of an application share the threads, and a thread is kept for further items. So a function must await all
 * that it starts: if a timer or a promise that it has left behind throws, the thread dies, and with it the item of
 * whatever job it runs by then, as the death of an executor. Give a function that you cannot trust a process of its own
 * by `executor: 'task'`.
 *
 * ```ts
 * ElasticJobModule.forRoot({ workerPool: new WorkerThreads() })
 * ```
 */
@publicCalls()
export class WorkerThreads implements WorkerPool {
  /** Imported at once, so that a missing package fails the start instead of the first run. */
  private readonly piscina = importPiscina();
  private pool: Promise<Piscina<ThreadTask, ThreadResult>> | undefined;

  private readonly options: WorkerThreadsOptions;

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(options: WorkerThreadsOptions = {}) {
    this.options = TABLE.checked('WorkerThreads', options);
    this.piscina.catch((error: Error) => process.emitWarning(error));
  }

  findFault(module: string): string | undefined {
    if (existsSync(new URL(module))) return undefined;
    const source = new URL(module.replace(/js$/, 'ts'));
    const remedy = `${basename(source.pathname)} is there: take the ending of the file that has the job`;
    return `must be the URL of an existing file${existsSync(source) ? ` (${remedy})` : ''}`;
  }

  /** @throws {MissingPackageError} if piscina is not installed; else the handler's error, or the thread's end */
  async run(work: ThreadWork): Promise<void> {
    work.context.signal.throwIfAborted();
    const run = new ThreadRun(work);
    try {
      const result = await this.runInThread(run, work.clock.processors());
      if (result.kind === 'failed') throw reviveError(result.error);
    } finally {
      run.close();
    }
  }

  async close(): Promise<void> {
    const { pool } = this;
    this.pool = undefined;
    // Each run has already reported why there is no pool.
    const opened = await pool?.catch(() => undefined);
    await opened?.destroy();
  }

  private async runInThread(run: ThreadRun, processors: number): Promise<ThreadResult> {
    const { signal, task } = run;
    const pool = await this.open(processors);
    try {
      return await pool.run(task, { transferList: [task.port], signal });
    } catch (error) {
      throw run.failureOf(error);
    }
  }

  private open(processors: number): Promise<Piscina<ThreadTask, ThreadResult>> {
    this.pool ??= this.create(processors);
    return this.pool;
  }

  private async create(processors: number): Promise<Piscina<ThreadTask, ThreadResult>> {
    const Pool = await this.piscina;
    const {
      maxThreads = processors,
      resourceLimits,
      threadUrl = new URL('./thread.js', import.meta.url),
    } = this.options;
    const pool = new Pool<ThreadTask, ThreadResult>({
      filename: fileURLToPath(threadUrl),
      name: 'runInThread',
      // Minimum and maximum are equal, because the pool replaces ended threads only up to the minimum.
      minThreads: maxThreads,
      maxThreads,
      resourceLimits,
      // A thread that waits for work must keep its timers and sockets going.
      atomics: 'disabled',
    });
    // A thread that dies without work affects no job, and must not end the process.
    pool.on('error', (error: Error) => process.emitWarning(error));
    return pool;
  }
}

async function importPiscina(): Promise<typeof Piscina> {
  try {
    return (await import('piscina')).Piscina;
  } catch (error) {
    throw errorOfImport(error, 'piscina', 'WorkerThreads');
  }
}

/** Main thread's side of one piece of work: forwards its signal, answers its questions, and ends its thread. */
export class ThreadRun {
  readonly task: ThreadTask;
  private readonly port: MessagePort;
  private readonly memory = new Int32Array(new SharedArrayBuffer(FIELDS * Int32Array.BYTES_PER_ELEMENT));
  private readonly ending = new AbortController();
  private timer: Timer | undefined;

  constructor(private readonly work: ThreadWork) {
    const { context, exportName, input, module } = work;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.task = { module, exportName, facts: factsOf(context), input, port: port2, memory: this.memory };
    port1.on('message', (question: number) => this.answer(question));
    context.signal.addEventListener('abort', this.stop);
  }

  /** Aborts when the thread is to be ended, or the work removed from the queue. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  close(): void {
    this.timer?.cancel();
    this.work.context.signal.removeEventListener('abort', this.stop);
    this.port.close();
  }

  /** Translates an error of the pool. A handler's own failure arrives as a result instead. */
  failureOf(error: unknown): unknown {
    const { aborted, reason } = this.work.context.signal;
    if (aborted) return reason;
    if (error instanceof DOMException && error.name === 'DataCloneError') return error;
    const hasBegun = Atomics.load(this.memory, STATE) !== WAITING;
    const death = executorDeathOf({ kind: 'thread', error })!;
    return hasBegun ? death : new ExecutorDeathError('ERROR', death.detail, { cause: error });
  }

  private readonly stop = (): void => {
    if (Atomics.compareExchange(this.memory, STATE, WAITING, STOPPING) === WAITING) return this.ending.abort();
    const { clock, context, endAfterMs } = this.work;
    // Sent before the state is set: a thread that sees the state reads the message.
    const message: AbortMessage = { reason: portrayError(context.signal.reason) };
    this.port.postMessage(message, []);
    Atomics.store(this.memory, STATE, STOPPING);
    if (endAfterMs !== undefined) this.timer = clock.setTimer(endAfterMs, () => this.ending.abort());
  };

  private answer(question: number): void {
    Atomics.store(this.memory, ANSWER, isHeld(this.work.context) ? question : -question);
    Atomics.notify(this.memory, ANSWER);
  }
}

function isHeld(context: ThreadContext): boolean {
  try {
    context.assertHeld();
    return true;
  } catch {
    return false;
  }
}

function factsOf(context: ThreadContext): ContextFacts {
  return {
    jobName: context.jobName,
    taskId: context.taskId,
    jobParameter: context.jobParameter,
    shardingTotalCount: context.shardingTotalCount,
    shardingItem: context.shardingItem,
    shardingParameter: context.shardingParameter,
    fireTime: context.fireTime,
    source: context.source,
    trigger: context.trigger,
    attempt: context.attempt,
    token: context.token,
    tokenEpoch: context.tokenEpoch,
  };
}
