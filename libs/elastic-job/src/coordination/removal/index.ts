export { removeAbandoned, removeTree } from './remove-tree.js';
