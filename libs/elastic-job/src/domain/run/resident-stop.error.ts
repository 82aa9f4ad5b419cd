import { ElasticJobError } from '../errors.js';
import type { JobName } from '../cluster/index.js';

/**
 * Why an item of a resident job has to end here.
 * - `moved`: another instance owns it now and begins it as soon as it has ended here;
 * - `disabled`: an operator has disabled the item or this server;
 * - `leaving`: this instance leaves the job;
 * - `settings`: the job is no longer resident, or is shared with Java instances.
 */
export type ResidentStop = 'moved' | 'disabled' | 'leaving' | 'settings';

const REASONS: Readonly<Record<ResidentStop, string>> = {
  moved: 'it belongs to another instance now',
  disabled: 'an operator has disabled it here',
  leaving: 'this instance leaves the job',
  settings: 'the settings of the job have changed',
};

/** The reason of the signal of a resident job's item that is told to stop. */
export class ResidentStoppedError extends ElasticJobError {
  readonly code = 'RESIDENT_STOPPED';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly why: ResidentStop,
  ) {
    super(`Item ${item} of the resident job "${jobName}" has to end here: ${REASONS[why]}.`);
  }
}
