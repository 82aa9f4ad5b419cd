import type { JobStatus, RuntimeStatus } from '../../../libs/elastic-job/src/runtime/index.js';

/** Time at which the specs of this room check the status. */
export const NOW = Date.UTC(2026, 0, 1);

export const job: JobStatus = {
  jobName: 'settle-orders',
  isJoined: true,
  isDisabled: false,
  isLeaving: false,
  leader: '10.0.0.1@-@7-1a',
  mixedWith: [],
  differences: [],
  isFailoverIdle: false,
  nextFireTime: NOW + 5_000,
  runningItems: 2,
  ownedItems: 4,
  disabledItems: 0,
  failingForMs: 0,
  hung: [],
  queuedItems: 0,
  isFailoverQueueFull: false,
  delayedSettles: undefined,
  refused: undefined,
  failing: undefined,
  configurationFault: undefined,
  problem: undefined,
  isResting: false,
  missedRuns: 0,
};

/** Status of a process whose one job is well, with the given changes. */
export function statusWith(changes: Partial<RuntimeStatus> = {}, jobChanges: Partial<JobStatus> = {}): RuntimeStatus {
  return {
    phase: 'running',
    processing: true,
    session: { state: 'CONNECTED', id: '1a', timeoutMs: 60_000 },
    sessionForMs: 1_000,
    jobs: [{ ...job, ...jobChanges }],
    ...changes,
  };
}

export function inState(state: RuntimeStatus['session']['state'], sessionForMs: number): RuntimeStatus {
  return statusWith({ session: { state, id: '1a', timeoutMs: 60_000 }, sessionForMs });
}
