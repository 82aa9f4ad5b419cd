/**
 * Real servers, networks and processes on loopback, and ways to break them. All of them end with this process at the
 * latest. A suite stops those that it has started with `OpenHandles`.
 */
export { whyUnavailable } from '../zookeeper/distribution.js';
export { ClientProcess, forkClient, type ProcessEnd } from './client-process.js';
export { Ensemble, startEnsemble } from './ensemble.js';
export { emptyReply, startFakeServer, nothingRead, MALFORMED, type FakeServerScript } from './fake-server.js';
export { FaultNetwork, startFaultNetwork } from './fault-network.js';
export { FaultProxy, startFaultProxy } from './fault-proxy.js';
export { isWrite, OP } from './frames.js';
export { OpenHandles, type Stoppable } from './open-handles.js';
export { ProcessClock, whyNoProcessClock } from './process-clock.js';
export { ALL_PERMISSIONS, connectRawClient, RawClient } from './raw-client.js';
export type { TestServerOptions } from './server-layout.js';
export { startZooKeeperServer, TestServer } from './test-server.js';
