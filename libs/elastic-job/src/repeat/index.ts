/**
 * Work that is done again: after a failure (`repeat`), when news wake it (`Reconciler`, `Reconcilers` by key), or in
 * rounds (`keepRounds`).
 * Loops that repeat what has failed stand here and nowhere else, and each has a signal that ends it.
 */
export * from './repeat.js';
export * from './reconciler.js';
