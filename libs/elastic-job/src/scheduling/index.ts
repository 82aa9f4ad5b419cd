// Fire times of a schedule, reported as they come by a clock. This room knows time, not clusters.
export * from './ticker.js';
