import { ElasticJobError, type JobName } from '../../domain/index.js';

/**
 * The configured `instanceId` is in use by a session that does not end.
 * @remarks Give each instance an `instanceId` of its own, or none. Also look for a second process with the same one.
 */
export class InstanceIdTakenError extends ElasticJobError {
  readonly code = 'INSTANCE_ID_TAKEN';

  constructor(
    readonly jobName: JobName,
    readonly instanceId: string,
    readonly ownerSession: string | undefined,
  ) {
    super(
      `Job "${jobName}": instance "${instanceId}" is registered by the live session ${ownerSession ?? '(unknown)'}; ` +
        'give each instance its own instanceId, or none.',
    );
  }
}
