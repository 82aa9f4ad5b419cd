export { ZooKeeperRegistryCenter } from './zookeeper-registry-center.js';
export type { SaslCredentials } from './sasl.js';
export type { ZooKeeperOptions } from './zookeeper-options.js';
