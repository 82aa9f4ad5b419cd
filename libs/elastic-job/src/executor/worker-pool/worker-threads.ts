import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ResourceLimits } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { errorOfImport } from '../../domain/index.js';
import type { ThreadWork, WorkerPool } from '../isolation.js';
import { reviveError, type ThreadResult, type ThreadTask } from './messages.js';
import { ThreadRun } from './thread-run.js';

export interface WorkerThreadsOptions {
  /**
   * Most threads at the same time. More work waits for one, within the time of its item; the job's `concurrency` can
   * keep it from starting.
   * @default the processors of the host
   */
  readonly maxThreads?: number;
  /** Of each thread; one that needs more dies, and with it nothing else. @default those of the process */
  readonly resourceLimits?: ResourceLimits;
  /**
   * Where the file is that `nestjs-elastic-job/worker-pool-thread` names, if the application is bundled.
   * @default beside this one
   */
  readonly threadUrl?: URL;
}

/**
 * Threads for jobs with `isolation: 'worker-thread'`. They are started when they are first needed, and end with the
 * application. The function in a thread gets a `ThreadContext`, whose `signal` and `assertHeld()` tell the truth there
 * as well, and what the job's own method has returned.
 *
 * ```ts
 * ElasticJobModule.forRoot({ workerPool: new WorkerThreads() })
 * ```
 */
export class WorkerThreads implements WorkerPool {
  /** Begun at once, so that a missing package is told at the start, and not with the first run alone. */
  private readonly piscina = importPiscina();
  private pool: Promise<Piscina<ThreadTask, ThreadResult>> | undefined;

  constructor(private readonly options: WorkerThreadsOptions = {}) {
    this.piscina.catch((error: Error) => process.emitWarning(error));
  }

  findFault(module: string): string | undefined {
    return existsSync(new URL(module)) ? undefined : 'must be the URL of a file that is there';
  }

  /** @throws {MissingPackageError} if piscina is not installed; else what the handler throws, or its end */
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
    // Each run has told already why there is none.
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
      // As many as may be: the pool replaces a thread that was ended only up to the least.
      minThreads: maxThreads,
      maxThreads,
      resourceLimits,
      // A thread that waits for work goes on with its timers and sockets.
      atomics: 'disabled',
    });
    // A thread that dies without work takes no job along, and must not end the process.
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
