// Removal of a job's tree.
export { childrenFirst, removeAbandoned, removeTree } from './remove-tree.js';
