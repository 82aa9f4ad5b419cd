/**
 * Code that the threads of a pool load, published as `nestjs-elastic-job/worker-pool-thread`. Loading it does nothing;
 * the pool calls `runInThread`.
 */
import { receiveMessageOnPort } from 'node:worker_threads';
import { LeaseLostError, readable } from '../../domain/index.js';
import type { ThreadContext } from '../isolation.js';
import {
  type AbortMessage,
  ANSWER,
  portrayError,
  reviveError,
  RUNNING,
  STATE,
  STOPPING,
  type ThreadResult,
  type ThreadTask,
  WAITING,
} from './messages.js';

/** Longest wait for the main thread's answer whether the item is still held, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * Runs the function that the task names. Never rejects, since the pool takes a rejecting thread for dead.
 * @internal
 */
export async function runInThread(task: ThreadTask): Promise<ThreadResult> {
  const { exportName, input, memory, module, port } = task;
  try {
    if (Atomics.compareExchange(memory, STATE, WAITING, RUNNING) !== WAITING) return { kind: 'done' };
    const handler = await load(module, exportName);
    await handler(contextOf(task), input);
    return { kind: 'done' };
  } catch (error) {
    return { kind: 'failed', error: portrayError(readable(error)) };
  } finally {
    port.close();
  }
}

async function load(module: string, exportName: string): Promise<(context: ThreadContext, input: unknown) => unknown> {
  const exported: unknown = await import(module);
  const handler: unknown = Reflect.get(Object(exported), exportName);
  if (typeof handler !== 'function') throw new TypeError(`${module} exports no function "${exportName}".`);
  return (context, input) => Reflect.apply(handler, undefined, [context, input]);
}

function contextOf(task: ThreadTask): ThreadContext {
  return Object.freeze({ ...task.facts, signal: signalOf(task), assertHeld: questions(task) });
}

/**
 * Aborts as the main thread's signal does. Its `aborted` is exact also in a handler that never lets the event loop turn
 * and so gets no event.
 */
function signalOf({ memory, port }: ThreadTask): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const isAborted = (): boolean => Reflect.get(AbortSignal.prototype, 'aborted', signal);
  const abort = ({ reason }: AbortMessage): void => controller.abort(reviveError(reason));
  const takeAbort = (): void => {
    if (Atomics.load(memory, STATE) !== STOPPING) return;
    // The message was sent before the state was set.
    const received: { readonly message: AbortMessage } | undefined = receiveMessageOnPort(port);
    if (received !== undefined) abort(received.message);
  };
  port.on('message', abort);
  Object.defineProperties(signal, {
    aborted: {
      get: () => {
        takeAbort();
        return isAborted();
      },
    },
    throwIfAborted: {
      value: () => {
        takeAbort();
        AbortSignal.prototype.throwIfAborted.call(signal);
      },
    },
  });
  return signal;
}

/**
 * Asks the main thread, and blocks until it answers: the elapsed time there counts, as after a pause of the process.
 */
function questions({ facts, memory, port }: ThreadTask): () => void {
  let asked = 0;
  return () => {
    asked += 1;
    let seen = Atomics.load(memory, ANSWER);
    port.postMessage(asked);
    while (Math.abs(seen) !== asked) {
      if (Atomics.wait(memory, ANSWER, seen, ANSWER_MS) === 'timed-out') break;
      seen = Atomics.load(memory, ANSWER);
    }
    if (seen !== asked) throw new LeaseLostError(facts.jobName, facts.shardingItem);
  };
}
