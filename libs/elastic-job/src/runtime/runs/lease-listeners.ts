import type { ExecutionLease, Guarantees, JobTree } from '../../coordination/index.js';
import type { KnownListener } from '../../domain/index.js';
import { type JobExecutor, JobListeners } from '../../executor/index.js';
import type { RunReports } from './run-reports.js';
import type { Report } from '../news/index.js';

/** Parts of a session that calls of its listeners need. */
interface LeaseListenersParts {
  readonly tree: JobTree;
  readonly guarantee: Guarantees;
  readonly executor: JobExecutor;
  readonly hungGraceMs: number;
  readonly reports: RunReports;
  readonly report: Report;
}

/** Listeners around the leases of one job and session; undefined if the job has none. */
export function leaseListeners(
  listeners: readonly KnownListener[],
  { tree, guarantee, executor, hungGraceMs, reports, report }: LeaseListenersParts,
): JobListeners | undefined {
  if (listeners.length === 0) return undefined;
  const enter = (lease: ExecutionLease) => guarantee.enter(tree, lease);
  return new JobListeners(listeners, enter, executor, {
    clock: tree.clock,
    hungGraceMs,
    onError: (error, method) => report(`the listener ${method}`)(error),
    onHung: (lease, hung) => reports.hung(lease, hung),
    onReturned: (lease) => reports.returned(lease),
  });
}
