export { ZooKeeperRegistryCenter } from './zookeeper-registry-center.js';
export type { SaslCredentials } from './wire/index.js';
export type { ZooKeeperOptions } from './zookeeper-options.js';
