export * from './instance-text.js';
export * from './job-paths.js';
export * from './job-tree.js';
export type * from './job-tree-event.js';
export * from './job-trees.js';
export * from './trigger-text.js';
export * from './until-committed.js';
export * from './when-answering.js';
