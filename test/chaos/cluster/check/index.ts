/** Pure judges of histories under faults. */
export { inexact } from './exactness.js';
export { failoverBoundMs } from './excuses.js';
export type * from './history.js';
export { targetsOf } from './history.js';
export * from './log.js';
export { type Judgement, judge } from './judge.js';
export { matchTargets } from './matching.js';
export { failoverTimes, longestGapMs, progress } from './progress.js';
