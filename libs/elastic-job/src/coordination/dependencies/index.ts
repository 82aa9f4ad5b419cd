export * from './dependencies.js';
export { expectedItems, RunNotes, type UnmetDependency } from './run-notes.js';
