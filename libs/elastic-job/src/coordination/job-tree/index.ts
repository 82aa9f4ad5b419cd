export { companyOf } from './company.js';
export * from './instance-text.js';
export * from './job-node.js';
export * from './job-paths.js';
export { type ItemRecord, recordCreation } from './item-nodes.js';
export type { ServerStatus } from './job-nodes.js';

export * from './job-tree.js';
export type * from './job-tree-event.js';
export * from './job-trees.js';
export type { StandingRefusal } from './refusals.js';
export * from './trigger-text.js';
export * from './until-committed.js';
export * from './when-answering.js';
