// Sources of due items: ticks, starts after other jobs, triggers of operators, resident items, and fire times that are
// owed, caught up on or given up.
export * from './catch-up.js';
export * from './dependency-starts.js';
export * from './manual-triggers.js';
export * from './operator-switches.js';
export * from './owed-fire-times.js';
export * from './reruns.js';
export * from './resident-items.js';
export * from './tick.js';
export * from './trigger-plan.js';
