// Duties: the work of an instance for a job besides its ticks, while one session lasts. Each duty has a method for each
// kind of news that it hears, and begins items through the leases. `session/session-news.ts` calls these methods.
export * from './cancellations.js';
export * from './catch-up.js';
export * from './owed-fire-times.js';
export * from './failing-items.js';
export * from './failover-claims.js';
export * from './hand-overs.js';
export * from './kept-nodes.js';
export * from './leader-duties.js';
export * from './item-debts.js';
export * from './manual-triggers.js';
export * from './misfire-flags.js';
export * from './missed-fire-times.js';
export * from './operator-switches.js';
export * from './own-marks.js';
export * from './resident-items.js';
export * from './trigger-plan.js';
