import threads from 'node:worker_threads';
import { type Clock, SystemClock } from '../clock/index.js';

/**
 * Calls back after a time, for checks of an application in service. They keep no process alive. In tests, on simulated
 * time, and in other threads, which hear no signals, nothing is called.
 * @returns a function that withdraws the call
 */
export function inService(clock: Clock, afterMs: number, callback: () => void): () => void {
  if (!(clock instanceof SystemClock) || !threads.isMainThread || isTest()) return () => {};
  const timer = clock.setTimer(afterMs, callback);
  timer.unref?.();
  return () => timer.cancel();
}

/** True in the tests of Jest and Vitest, which set the first variable, and of `node:test`. */
function isTest(): boolean {
  return process.env['NODE_ENV'] === 'test' || process.env['NODE_TEST_CONTEXT'] !== undefined;
}
