import { ElasticJobError, type GuaranteePhase, type JobName } from '../../domain/index.js';

/**
 * Not every item of a run reached the barrier in time.
 * @remarks Look for items that are missing in the message: their instance is slow, or gone. The run goes on without
 *   them. A Java peer does not call a listener whose type was not in the node's `jobListenerTypes` when the peer
 *   started: restart it.
 */
export class GuaranteeTimeoutError extends ElasticJobError {
  readonly code = 'GUARANTEE_TIMEOUT';

  constructor(
    readonly jobName: JobName,
    readonly phase: GuaranteePhase,
    readonly timeoutMs: number,
    /** Items that were missing; empty if an earlier run was awaited, or the instance that came last. */
    readonly missing: readonly number[],
  ) {
    super(
      `Job "${jobName}": not all items had ${phase} within ${timeoutMs} ms` +
        `${missing.length > 0 ? ` (missing: ${missing.join(', ')})` : ''}; the run goes on without the others.`,
    );
  }
}
