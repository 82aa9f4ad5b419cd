/**
 * The entry of the worker thread that `connection: 'worker-thread'` starts, published as
 * `nestjs-elastic-job/zookeeper-worker`. It is the one file that acts when it is loaded.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ConnectionHost } from './connection-host.js';
import type { WorkerSettings } from './messages.js';

const settings: WorkerSettings = workerData;
if (!parentPort)
  throw new Error('nestjs-elastic-job/zookeeper-worker is loaded by a worker thread; see the option workerUrl.');
new ConnectionHost(parentPort, settings).listen();
