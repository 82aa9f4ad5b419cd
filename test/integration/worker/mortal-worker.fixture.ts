// The connection's worker, which any test can end.
import { BroadcastChannel } from 'node:worker_threads';
// oxlint-disable-next-line import/no-unassigned-import -- it acts when it is loaded
import '../../../libs/elastic-job/src/registry/zookeeper/worker/connection-worker.js';

const channel = new BroadcastChannel('end of the connection worker');
Object.assign(channel, { onmessage: () => process.exit(3) });
channel.unref();
