import type { ShardOutcome } from '../../domain/index.js';
import { SessionLease } from './session-lease.js';

/** The lease of a job without `monitorExecution`: no mark, no record, no token, and no request to the registry. */
export class UnmonitoredLease extends SessionLease {
  readonly run = undefined;

  token(): undefined {
    return undefined;
  }

  protected record(item: number, outcome: ShardOutcome): void {
    this.conclude(item, outcome);
  }
}
