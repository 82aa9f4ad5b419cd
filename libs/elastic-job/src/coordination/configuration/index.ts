export * from './configuration.errors.js';
export * from './configurations.js';
export * from './format-configuration.js';
export * from './lay-configuration.js';
export { maskConfiguration } from './masked-configuration.js';
export * from './parse-configuration.js';
export type * from './local-job.js';
export { readMapping, type YamlMapping } from './yaml-mapping.js';
export { formatEntry } from './yaml-scalar.js';
