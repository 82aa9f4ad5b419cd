// Removal of a job's tree.
export { removeAbandoned, removeTree } from './remove-tree.js';
