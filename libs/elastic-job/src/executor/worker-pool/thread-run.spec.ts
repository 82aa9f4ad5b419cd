import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JobTimeoutError, LeaseLostError } from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import { ANSWER, RUNNING, STATE, STOPPING, WAITING } from './messages.js';
import { ThreadRun } from './worker-threads.js';
import { runInThread } from './thread.js';

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
  token: 7n,
  tokenEpoch: 1,
} as const;
const REASON = new JobTimeoutError('render', 2, 5);

/** Code of a thread that answers each question: the item is held. */
const ANSWER_ALL = `
  const { memory, port } = require('node:worker_threads').workerData;
  port.on('message', (question) => {
    Atomics.store(memory, ${ANSWER}, question);
    Atomics.notify(memory, ${ANSWER});
  });
`;

let clock: VirtualClock;
let ending: AbortController;
let isHeld: boolean;
let run: ThreadRun;
beforeEach(() => {
  clock = new VirtualClock();
  ending = new AbortController();
  isHeld = true;
  run = start('export const handle = () => {};');
});
afterEach(() => {
  run.close();
  run.task.port.close();
});

describe('work for a thread', () => {
  it('has every fact of its context, its input and its function, and no more', () => {
    const { facts, input, module, exportName } = run.task;
    expect(facts).toEqual(FACTS);
    expect([input, exportName]).toEqual([{ answer: 42 }, 'handle']);
    expect(module).toMatch(/^data:/);
  });

  it('is taken back if its signal aborts while it waits', async () => {
    ending.abort(REASON);

    expect(run.signal.aborted).toBe(true);
    expect(run.task.memory[STATE]).toBe(STOPPING);
    expect(await runInThread(run.task)).toEqual({ kind: 'done' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('is told of the reason, and ended after its grace, if its signal aborts while it runs', async () => {
    run.task.memory[STATE] = RUNNING;
    const told = once(run.task.port, 'message');
    ending.abort(REASON);

    expect(run.task.memory[STATE]).toBe(STOPPING);
    expect(await told).toMatchObject([{ reason: { name: 'JobTimeoutError', code: 'JOB_TIMEOUT' } }]);
    await clock.advance(4_999);
    expect(run.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(run.signal.aborted).toBe(true);
  });

  it('is never ended if it has no grace, and leaves no timer once it is closed', async () => {
    const patient = start('', {});
    patient.task.memory[STATE] = RUNNING;
    run.task.memory[STATE] = RUNNING;
    ending.abort(REASON);
    expect(clock.pendingTimers).toBe(1);

    run.close();
    await clock.advance(60_000);

    expect([patient.signal.aborted, run.signal.aborted]).toEqual([false, false]);
    patient.close();
    patient.task.port.close();
  });

  it('hears no signal any more once it is closed', () => {
    run.close();
    ending.abort(REASON);
    expect([run.signal.aborted, run.task.memory[STATE]]).toEqual([false, WAITING]);
  });

  it.each([true, false])('is answered whether its item is held: %s', async (held) => {
    isHeld = held;
    const { memory, port } = run.task;
    port.postMessage(3);
    while (memory[ANSWER] === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(memory[ANSWER]).toBe(held ? 3 : -3);
  });

  it('fails as its thread has died, or could not be started', () => {
    const error = new Error('no memory');
    expect(run.failureOf(error)).toMatchObject({ code: 'EXECUTOR_DEATH', state: 'ERROR', cause: error });
    run.task.memory[STATE] = RUNNING;
    expect(run.failureOf(error)).toMatchObject({ code: 'EXECUTOR_DEATH', state: 'FAILED', cause: error });
  });

  it('fails as it is where its input cannot be cloned, and with the reason once its signal has aborted', () => {
    const uncloneable = new DOMException('no', 'DataCloneError');
    expect(run.failureOf(uncloneable)).toBe(uncloneable);
    expect(run.failureOf(new DOMException('no', 'AbortError'))).toMatchObject({ code: 'EXECUTOR_DEATH' });
    expect(run.failureOf(Object.assign(new Error('no'), { name: 'DataCloneError' }))).toMatchObject({
      code: 'EXECUTOR_DEATH',
    });
    ending.abort(REASON);
    expect(run.failureOf(uncloneable)).toBe(REASON);
  });
});

describe('a function in its thread', () => {
  it('gets its context and its input, and nothing that it could change', async () => {
    run = start(`export const handle = (context, input) => {
      if (!Object.isFrozen(context) || context.jobName !== 'render' || context.token !== 7n) throw new Error('context');
      if (context.signal.aborted || input.answer !== 42) throw new Error('input');
    };`);
    expect(await runInThread(run.task)).toEqual({ kind: 'done' });
    expect(run.task.memory[STATE]).toBe(RUNNING);
  });

  it('fails with what it throws', async () => {
    run = start(`export const handle = () => { throw new RangeError('broken'); };`);
    expect(await runInThread(run.task)).toMatchObject({ kind: 'failed', error: { name: 'RangeError' } });
  });

  it('fails with an error that says so if it throws a promise, whose rejection is heard', async () => {
    run = start(`export const handle = () => { throw Promise.reject(new Error('broken')); };`);
    expect(await runInThread(run.task)).toMatchObject({
      kind: 'failed',
      error: { isError: true, message: 'a promise was thrown, which is no error' },
    });
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('fails by name if its module does not export it', async () => {
    run = start('export const other = 5;');
    expect(await runInThread(run.task)).toMatchObject({
      kind: 'failed',
      error: { name: 'TypeError', message: expect.stringMatching(/ exports no function "handle"\.$/) },
    });
  });

  it.each([
    [1, { kind: 'done' }],
    [-1, { kind: 'failed', error: { name: LeaseLostError.name, code: 'LEASE_LOST' } }],
  ])('acts for its item if the main thread has answered %i', async (answer, result) => {
    run = start('export const handle = ({ assertHeld }) => assertHeld();');
    run.task.memory[ANSWER] = answer;
    expect(await runInThread(run.task)).toMatchObject(result);
  });

  it('waits for each answer of the main thread', async () => {
    run = start('export const handle = ({ assertHeld }) => [assertHeld(), assertHeld()];');
    const { port1, port2 } = new MessageChannel();
    const { memory } = run.task;
    const answering = new Worker(ANSWER_ALL, {
      eval: true,
      workerData: { memory, port: port2 },
      transferList: [port2],
    });

    expect(await runInThread({ ...run.task, port: port1 })).toEqual({ kind: 'done' });

    expect(memory[ANSWER]).toBe(2);
    await answering.terminate();
  });

  it('closes its port, so that its thread can end', async () => {
    const closed = once(run.task.port, 'close');

    await runInThread(run.task);

    await expect(closed).resolves.toBeDefined();
  });

  it('sees the abort of its signal also if it never lets the event loop turn, with the reason', async () => {
    run = start(`export const handle = ({ signal }) => {
      if (signal.aborted) throw new Error('too early');
      globalThis.abortTheSpec();
      if (!signal.aborted || signal.reason.code !== 'JOB_TIMEOUT') throw new Error('unseen');
      signal.throwIfAborted();
    };`);
    Object.assign(globalThis, { abortTheSpec: () => ending.abort(REASON) });
    expect(await runInThread(run.task)).toMatchObject({ kind: 'failed', error: { code: 'JOB_TIMEOUT' } });
    Reflect.deleteProperty(globalThis, 'abortTheSpec');
  });

  it('hears the abort of its signal while it waits', async () => {
    run = start(`export const handle = async ({ signal }) => {
      signal.throwIfAborted();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
    };`);
    const running = runInThread(run.task);
    setImmediate(() => ending.abort(REASON));
    expect(await running).toMatchObject({ kind: 'failed', error: { code: 'JOB_TIMEOUT' } });
  });
});

function start(source: string, { endAfterMs }: { readonly endAfterMs?: number } = { endAfterMs: 5_000 }): ThreadRun {
  const assertHeld = (): void => {
    if (!isHeld) throw new LeaseLostError('render', 2);
  };
  return new ThreadRun({
    module: `data:text/javascript,${encodeURIComponent(source)}`,
    exportName: 'handle',
    context: { ...FACTS, signal: ending.signal, assertHeld },
    input: { answer: 42 },
    endAfterMs,
    clock,
  });
}
