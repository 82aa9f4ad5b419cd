/**
 * Entry of the thread that `dialectModule` of `SqlHistory` starts, published as `nestjs-elastic-job/history-thread`. It
 * acts when it is loaded.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { serveRows } from './serve-rows.js';

if (!parentPort) throw new Error('nestjs-elastic-job/history-thread is loaded by a thread; see the option threadUrl.');
// A rejection ends the thread, which the history notices.
void serveRows(parentPort, workerData);
