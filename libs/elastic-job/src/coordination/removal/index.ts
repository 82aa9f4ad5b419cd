export * from './remove-tree.js';
