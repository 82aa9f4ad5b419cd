import { type Checkpoint, MissingTokenError, type ShardOutcome } from '../../domain/index.js';
import { ItemLease } from './item-lease.js';

/** Lease of a job without `monitorExecution`: no mark, no record, no token, and no request to the registry. */
export class UnmonitoredLease extends ItemLease {
  readonly run = undefined;

  token(): undefined {
    return undefined;
  }

  checkpoint(item: number): Checkpoint {
    const refuse = () => Promise.reject(new MissingTokenError(this.jobName, item));
    return { save: refuse, load: refuse, clear: refuse };
  }

  protected record(item: number, outcome: ShardOutcome): void {
    this.conclude(item, outcome);
  }
}
