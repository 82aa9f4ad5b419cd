export { MemoryRegistry } from './memory-registry.js';
export type { MemoryRegistryCenter, MemoryRegistryCenterOptions } from './memory-registry-center.js';
