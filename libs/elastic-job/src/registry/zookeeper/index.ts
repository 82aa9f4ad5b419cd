// The registry over a ZooKeeper ensemble: the client's sessions and views, in this thread or with a worker thread.
export { ZooKeeperRegistryCenter } from './zookeeper-ensemble.js';
export { hostsOf, type SaslCredentials, type TlsFiles, type TlsSettings, type TlsSource } from './wire/index.js';
export type { ZooKeeperOptions } from './zookeeper-options.js';
