/**
 * Messages between the main thread and a thread that runs a handler.
 *
 * A port carries the abort of the signal to the thread, and its questions whether the item is still held to the main
 * thread. A handler that computes without a pause receives no message, so the two also share memory. `STATE` says
 * whether the work waits for a thread, runs, or is to stop. Each side leaves `WAITING` by a compare-and-set, so that
 * work is either run or taken back. `ANSWER` is the number of the last answered question: positive if the item is held,
 * else negative.
 */
import type { MessagePort } from 'node:worker_threads';
import { causeOf, codeOf, isError, messageOf, nameOf, stackOf } from '../../domain/index.js';
import type { ContextFacts } from '../isolation.js';

export const STATE = 0;
export const ANSWER = 1;
export const FIELDS = 2;

export const WAITING = 0;
export const RUNNING = 1;
export const STOPPING = 2;

/** Work for a thread. */
export interface ThreadTask {
  readonly module: string;
  readonly exportName: string;
  readonly facts: ContextFacts;
  readonly input: unknown;
  readonly port: MessagePort;
  readonly memory: Int32Array;
}

/** End of the work. */
export type ThreadResult = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: ErrorPortrait };

/** Message from the main thread: the signal has aborted. */
export interface AbortMessage {
  readonly reason: ErrorPortrait;
}

/** Clonable parts of an error. Of any other value only its text is passed. */
interface ErrorPortrait {
  readonly isError: boolean;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  readonly cause: ErrorPortrait | undefined;
}

/** Most causes that are passed. */
const MOST_CAUSES = 5;

export function portrayError(error: unknown, causes = MOST_CAUSES): ErrorPortrait {
  const message = messageOf(error);
  if (!isError(error)) {
    return { isError: false, name: '', message, stack: undefined, code: undefined, cause: undefined };
  }
  const cause = causeOf(error);
  return {
    isError: true,
    name: nameOf(error),
    message,
    stack: stackOf(error),
    code: codeOf(error),
    cause: cause === undefined || causes === 0 ? undefined : portrayError(cause, causes - 1),
  };
}

/** An error with that name, message, stack and code; its class is lost. */
export function reviveError(portrait: ErrorPortrait): unknown {
  const { message, cause, name, stack, code } = portrait;
  if (!portrait.isError) return message;
  const error = new Error(message, cause === undefined ? {} : { cause: reviveError(cause) });
  const own = code === undefined ? { name, stack } : { name, stack, code };
  // Defined, since an assignment fails where somebody has frozen `Error.prototype`.
  return Object.defineProperties(error, Object.getOwnPropertyDescriptors(own));
}
