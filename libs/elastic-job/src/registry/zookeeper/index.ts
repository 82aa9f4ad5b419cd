export { ZooKeeperRegistryCenter } from './zookeeper-registry-center.js';
export { hostsOf, type SaslCredentials } from './wire/index.js';
export type { ZooKeeperOptions } from './zookeeper-options.js';
