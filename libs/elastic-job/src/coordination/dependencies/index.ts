export * from './dependencies.js';
export { expectedItems } from './expected-items.js';
export { RunNotes, type UnmetDependency } from './run-notes.js';
