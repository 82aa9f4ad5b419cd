export { ZooKeeperRegistryCenter } from './zookeeper-ensemble.js';
export { hostsOf, type SaslCredentials, type TlsFiles, type TlsSettings, type TlsSource } from './wire/index.js';
export type { ZooKeeperOptions } from './zookeeper-options.js';
