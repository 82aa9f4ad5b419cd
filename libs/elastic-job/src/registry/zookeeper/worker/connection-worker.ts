/**
 * Entry of the worker thread that `connection: 'worker-thread'` starts, published as
 * `nestjs-elastic-job/zookeeper-worker`. It is the only file that acts when it is loaded.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ConnectionHost } from './connection-host.js';
import type { WorkerSettings } from './messages.js';

const settings: WorkerSettings = workerData;
if (!parentPort)
  throw new Error('nestjs-elastic-job/zookeeper-worker must be loaded by a worker thread; see the option workerUrl.');
new ConnectionHost(parentPort, settings).listen();
