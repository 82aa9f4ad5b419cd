// The history of runs as the console shows it: one gate to the database, what lists have of it at hand, and the answers
// about runs, events, fire times, and why an item is where it is.
export { csvOf } from './csv.js';
export type { JobSchedule } from './fire-time-window.js';
export { HistoryAtHand } from './history-at-hand.js';
export { HistoryGate } from './history-gate.js';
export { HistoryReads } from './history-reads.js';
