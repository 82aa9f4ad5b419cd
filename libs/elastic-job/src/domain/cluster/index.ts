// Instances and servers of a job: their names, and decisions about them from what they report, such as whose clock is
// right and which settings count.
export * from './instance-label.js';
export * from './kept-text.decision.js';
export * from './names.js';
export * from './operation-status.decision.js';
export * from './registry-time.js';
export * from './registry-trust.decision.js';
export * from './server-retention.decision.js';
