// Jobs that start after other jobs: parents, children, and the counts that make a start.
export * from './dependencies.js';
export { expectedItems, RunNotes, type UnmetDependency } from './run-notes.js';
