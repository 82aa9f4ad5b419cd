import type { Clock } from '@app/elastic-job';
import { InstanceClock } from '@app/elastic-job/testing';

/** Clock of an instance that stands for a process on a host of its own. It stops when the instance crashes. */
export class ProcessClock extends InstanceClock {
  constructor(
    clock: Clock,
    private readonly process: { readonly host: string; readonly pid: number },
  ) {
    super(clock);
  }

  override hostAddress(): string {
    return this.process.host;
  }

  override hostName(): string {
    return this.process.host;
  }

  override pid(): number {
    return this.process.pid;
  }
}
