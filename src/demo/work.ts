import type { Clock, ShardingContext } from '@app/elastic-job';

/** Stands for the work of the jobs, which is nothing but time on the clock of their instance. */
export class Work {
  constructor(private readonly clock: Clock) {}

  /** Ends early if the run is told to stop. */
  take(seconds: number, { signal }: ShardingContext): Promise<void> {
    return this.clock.sleep(seconds * 1_000, signal);
  }

  /** Heeds no signal. */
  takeRegardless(seconds: number): Promise<void> {
    return this.clock.sleep(seconds * 1_000);
  }
}
