export { MemoryRegistry } from './memory-registry.js';
export type { LaneName, Latency } from './memory-link.js';
export type { FailureRule, RequestFailureRule } from './memory-server.js';
export type { MemoryRegistryCenter, MemoryRegistryCenterOptions } from './memory-registry-center.js';
