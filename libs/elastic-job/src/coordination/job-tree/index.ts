// The nodes of one job: paths, texts, events and typed reads. Node paths are written and parsed here alone.
export { type ItemRecord } from './item-nodes.js';
export * from './job-node.js';
export type { ServerStatus } from './job-nodes.js';
export * from './job-paths.js';
export * from './job-tree.js';
export * from './job-trees.js';
export { companyOf } from './company.js';
export * from './node-texts.js';
export * from './partly-done.js';
export type { StandingFailure, StandingRefusal } from './tree-notes.js';
export { TreeBounds } from './tree-bounds.js';
export * from './tree-policies.js';
