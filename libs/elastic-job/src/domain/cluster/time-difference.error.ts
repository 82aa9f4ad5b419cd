import { ElasticJobError } from '../errors.js';
import type { JobName } from './job-name.js';

/**
 * This process's clock and the registry's differ by more than the job allows, so the trigger was not run.
 * @remarks Let NTP set the clock of the host and those of the servers, or raise `maxTimeDiffSeconds`.
 */
export class TimeDifferenceError extends ElasticJobError {
  readonly code = 'TIME_DIFFERENCE';

  constructor(
    readonly jobName: JobName,
    /** In milliseconds; positive if this process's clock is ahead. */
    readonly differenceMs: number,
    readonly maxTimeDiffSeconds: number,
  ) {
    const direction = differenceMs > 0 ? 'ahead of' : 'behind';
    super(
      `Job "${jobName}": this clock is ${Math.abs(differenceMs)} ms ${direction} the registry's, and ` +
        `maxTimeDiffSeconds allows ${maxTimeDiffSeconds} s; let NTP set it.`,
    );
  }
}
