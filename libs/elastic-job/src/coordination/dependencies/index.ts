export * from './dependencies.js';
export { dueItems } from './due-items.js';
export { RunNotes, type UnmetDependency } from './run-notes.js';
