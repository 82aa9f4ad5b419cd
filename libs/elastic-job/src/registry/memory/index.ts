// A registry inside this process, with ZooKeeper's rules, and faults that tests make: server, links and clients.
export { MemoryRegistry, type MemoryRegistryCenter } from './memory-registry.js';
export type { LaneName, Latency } from './memory-link.js';
export type { FailureRule, RequestFailureRule } from './memory-server.js';
export type { MemoryRegistryCenterOptions } from './memory-registry-center.rules.js';
