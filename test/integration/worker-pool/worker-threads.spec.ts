import { getEventListeners, on } from 'node:events';
import { BroadcastChannel } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ThreadContext, WorkerThreads, type WorkerThreadsOptions } from '@app/elastic-job/worker-pool';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { JobTimeoutError, LeaseLostError } from '../../../libs/elastic-job/src/domain/index.js';
import { type Bundle, bundle } from '@test/support/bundle/bundle.js';

const MODULE = new URL('./handlers.fixture.mjs', import.meta.url).href;
const clock = new SystemClock();
/** The facts in a context; the rest of a context are functions. */
const FACTS = {
  jobName: 'render',
  taskId: 'render@-@2@-@READY@-@10.0.0.1@-@1',
  jobParameter: 'p',
  shardingTotalCount: 3,
  shardingItem: 2,
  shardingParameter: 'c',
  fireTime: new Date(Date.UTC(2030, 0, 1)),
  source: 'NORMAL_TRIGGER',
  trigger: 'schedule',
  attempt: 1,
  token: 2n ** 60n,
  tokenEpoch: 1,
} as const;
const TIMED_OUT = new JobTimeoutError('render', 2, 5);

let threads: Bundle;
let pool: WorkerThreads;
let news: News;
beforeAll(async () => {
  threads = await bundle({ thread: 'libs/elastic-job/src/executor/worker-pool/thread.ts' });
});
afterAll(() => threads.remove());
beforeEach(() => {
  news = new News();
  pool = poolOf({});
});
afterEach(async () => {
  news.close();
  await pool.close();
});

describe('a handler in a thread', { timeout: 30_000 }, () => {
  it('gets context and input unchanged', async () => {
    await start('run', { value: new Map([[1, 'a']]) }).ended;
    expect(await news.next()).toEqual({
      input: new Map([[1, 'a']]),
      facts: FACTS,
    });
  });

  it('leaves no listener on the signal of its item', async () => {
    const work = start('run');
    await work.ended;
    expect(getEventListeners(work.signal, 'abort')).toEqual([]);
  });

  it('gets the abort event and the reason of its signal while it waits', async () => {
    const work = start('waitForAbort');
    expect(await news.next()).toBe('waiting');
    work.abort(TIMED_OUT);
    expect(await news.next()).toEqual({ aborted: true, name: 'JobTimeoutError', code: 'JOB_TIMEOUT' });
    await work.ended;
  });

  it('sees that its signal has aborted when it looks, even if it computes without a pause', async () => {
    const work = start('computeUntilAborted');
    expect(await news.next()).toBe('computing');
    work.abort(TIMED_OUT);
    expect(await news.next()).toEqual({ code: 'JOB_TIMEOUT' });
    await expect(work.ended).rejects.toMatchObject({ name: 'JobTimeoutError', code: 'JOB_TIMEOUT' });
  });

  it('gets an error from assertHeld if the lease is lost, although no signal says so', async () => {
    const work = start('computeWhileHeld');
    expect(await news.next()).toBe('held');
    work.loseLease();
    await expect(work.ended).rejects.toMatchObject({ name: 'LeaseLostError', code: 'LEASE_LOST' });
  });

  it('is ended with its thread when its grace is over, and the next work has a new thread', async () => {
    pool = poolOf({ maxThreads: 1 });
    const work = start('spin', {}, { endAfterMs: 50 });
    expect(await news.next()).toBe('spinning');
    const next = start('run');
    work.abort(TIMED_OUT);
    await expect(work.ended).rejects.toBe(TIMED_OUT);
    await next.ended;
  });

  it('is taken back if it waits for a thread and its signal aborts, without disturbing others', async () => {
    pool = poolOf({ maxThreads: 1 });
    const first = start('waitForAbort');
    expect(await news.next()).toBe('waiting');
    const second = start('run');
    second.abort(TIMED_OUT);
    await expect(second.ended).rejects.toBe(TIMED_OUT);
    first.abort(TIMED_OUT);
    expect(await news.next()).toMatchObject({ aborted: true });
    await first.ended;
  });

  it('does not run if its signal has aborted already', async () => {
    const work = start('run', {}, { aborted: TIMED_OUT });
    await expect(work.ended).rejects.toBe(TIMED_OUT);
  });

  it('passes name, message, stack, code and cause of an error on', async () => {
    await expect(start('fail').ended).rejects.toMatchObject({
      name: 'TypeError',
      message: 'no order',
      code: 'E_ORDER',
      stack: expect.stringContaining('handlers.fixture.mjs'),
      cause: { name: 'RangeError', message: 'no row' },
    });
    await expect(start('fail', { mode: 'value' }).ended).rejects.toBe('no error');
  });

  it.each([
    ['exits', 'exit', 'worker exited with code: 3'],
    ['throws where nobody catches', 'throw', 'missing is not defined'],
    ['needs too much memory', 'memory', expect.stringContaining('memory limit')],
  ])('fails with the death of a thread that %s, and the pool goes on', async (_, mode, detail) => {
    pool = poolOf({ resourceLimits: { maxOldGenerationSizeMb: 32 } });
    await expect(start('die', { mode }).ended).rejects.toMatchObject({
      code: 'EXECUTOR_DEATH',
      state: 'FAILED',
      detail,
    });
    await start('run').ended;
  });

  it("fails with the executor's state ERROR if its thread cannot be started", async () => {
    pool = poolOf({ threadUrl: new URL('./missing.mjs', import.meta.url) });
    const warned = untilWarned('Cannot find module');
    await expect(start('run').ended).rejects.toMatchObject({ code: 'EXECUTOR_DEATH', state: 'ERROR' });
    await warned;
  });

  it('warns the process of a thread that dies after its work, and the pool goes on', async () => {
    pool = poolOf({ maxThreads: 1 });
    const warned = untilWarned('missing is not defined');
    await start('leaveTrap').ended;
    await warned;
    await expect(start('run').ended).resolves.toBeUndefined();
  });

  it('fails with the name of module and export if the export is missing', async () => {
    await expect(start('runs').ended).rejects.toThrow(/handlers\.fixture\.mjs exports no function "runs"/);
  });

  it('fails with the reason if its input cannot be cloned', async () => {
    await expect(start('run', { value: () => {} }).ended).rejects.toThrow(/could not be cloned/);
  });

  it('has a fault that says what its module must be if that is missing', () => {
    expect(pool.findFault(MODULE)).toBeUndefined();
    expect(pool.findFault('file:///missing.js')).toBe('must be the URL of an existing file');
  });

  it('names the source that is there where a test runs sources', () => {
    const compiled = import.meta.url.replace(/ts$/, 'js');
    const remedy = 'worker-threads.spec.ts is there: take the ending of the file that has the job';
    expect(pool.findFault(compiled)).toBe(`must be the URL of an existing file (${remedy})`);
  });
});

function poolOf(options: WorkerThreadsOptions): WorkerThreads {
  return new WorkerThreads({ maxThreads: 2, threadUrl: threads.url('thread'), ...options });
}

/** A pool that tries a thread again may warn more than once, and later. */
async function untilWarned(text: string): Promise<void> {
  for await (const warnings of on(process, 'warning')) {
    if (warnings.some((warning) => String(warning).includes(text))) return;
  }
}

interface StartOptions {
  readonly endAfterMs?: number;
  readonly aborted?: Error;
}

function start(exportName: string, input: object = {}, { endAfterMs, aborted }: StartOptions = {}) {
  const controller = new AbortController();
  if (aborted !== undefined) controller.abort(aborted);
  let isHeld = true;
  const context: ThreadContext = {
    ...FACTS,
    signal: controller.signal,
    assertHeld: () => {
      if (!isHeld) throw new LeaseLostError('render', 2);
    },
  };
  const work = { module: MODULE, exportName, context, input: { ...input, port: news.name }, endAfterMs, clock };
  const ended = pool.run(work);
  ended.catch(() => {}); // The test looks at it later.
  return {
    ended,
    signal: controller.signal,
    abort: (reason: Error) => controller.abort(reason),
    loseLease: () => (isHeld = false),
  };
}

/** The reports of the functions in threads, in order. */
class News {
  readonly name = clock.uuid();
  private readonly channel = new BroadcastChannel(this.name);
  private readonly arrived: unknown[] = [];
  private wake = (): void => {};

  constructor() {
    Object.assign(this.channel, {
      onmessage: ({ data }: MessageEvent) => {
        this.arrived.push(data);
        this.wake();
      },
    });
  }

  async next(): Promise<unknown> {
    while (this.arrived.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    return this.arrived.shift();
  }

  close(): void {
    this.channel.close();
  }
}
