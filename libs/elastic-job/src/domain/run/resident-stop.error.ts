import { ElasticJobError } from '../errors.js';
import type { JobName } from '../cluster/index.js';

/**
 * Why an item of a resident job has to end on this instance.
 * - `moved`: another instance owns it now, and begins it when it has ended here;
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

/**
 * Reason of the signal that stops an item of a resident job.
 * @remarks End the work: the item starts again where it belongs.
 */
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
