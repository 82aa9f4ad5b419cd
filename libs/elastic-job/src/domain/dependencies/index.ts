// Jobs that start after other jobs: effects of a parent's ended runs on its children, and chains that cannot work.
export {
  type AwayParent,
  type AwayReason,
  describeAwayParents,
  type DependencyFacts,
  findDependencyFaults,
} from './dependency-faults.js';
export {
  formatParentProgress,
  type ItemSet,
  itemSetOf,
  noteRuns,
  type NotedRuns,
  parseParentProgress,
  type ParentProgress,
  type RunNote,
  type UnmetReason,
  type UnmetRun,
} from './parent-progress.js';
export {
  fireTimesOf,
  formatStartLedger,
  NO_STARTS,
  noteParent,
  parseStartLedger,
  spansOfStarts,
  type Start,
  type StartLedger,
  withParents,
} from './start-ledger.js';
