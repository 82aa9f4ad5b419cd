/**
 * Real servers, networks and processes on loopback, and ways to break them. Everything ends with this process at the
 * latest; a suite stops what it has started with `OpenHandles`.
 */
export { whyUnavailable, type ZooKeeperVersion } from '../zookeeper/distribution.js';
export { ClientProcess, forkClient, type ProcessEnd } from './client-process.js';
export { Ensemble, startEnsemble } from './ensemble.js';
export {
  emptyReply,
  FakeServer,
  startFakeServer,
  nothingRead,
  MALFORMED,
  type FakeAnswer,
  type FakeServerScript,
} from './fake-server.js';
export { FaultNetwork, startFaultNetwork } from './fault-network.js';
export { FaultProxy, startFaultProxy, type ProxyCounters, type RequestChoice } from './fault-proxy.js';
export { isWrite, OP, type RequestHeader } from './frames.js';
export { OpenHandles, type Stoppable } from './open-handles.js';
export { ProcessClock, whyNoProcessClock } from './process-clock.js';
export {
  ALL_PERMISSIONS,
  connectRawClient,
  type RawAcl,
  RawClient,
  type RawClientOptions,
  type RawReply,
} from './raw-client.js';
export { type TestServerOptions, type TlsAccess } from './server-layout.js';
export { startZooKeeperServer, TestServer, type ServerMode, type ServerState } from './test-server.js';
