import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Timer } from '../../clock/index.js';
import { ExecutorDeathError, executorDeathOf } from '../../domain/index.js';
import type { ContextFacts, ThreadContext, ThreadWork } from '../isolation.js';
import {
  type AbortMessage,
  ANSWER,
  FIELDS,
  portrayError,
  STATE,
  STOPPING,
  type ThreadTask,
  WAITING,
} from './messages.js';

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
