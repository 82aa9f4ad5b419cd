// Settings of a job in its `config` node: read, judged, compared with the local ones, and written. The room has a YAML
// reader of its own.
export { changedSettings, type ConfigurationDifference } from './configuration-differences.js';
export * from './configurations.js';
export type { LocalJob } from './effective-configuration.js';
export { formatConfiguration, formatCreated } from './format-configuration.js';
export * from './lay-configuration.js';
export * from './parse-configuration.js';
export type { YamlEntry, YamlNode } from './yaml-cursor.js';
export { linesAndColumnsOf, looseTextOf, type PlaceOf, readMapping, YamlMapping } from './yaml-mapping.js';
export { formatEntry } from './yaml-scalar.js';
