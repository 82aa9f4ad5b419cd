import { ElasticJobError, type JobName } from '../../domain/index.js';

/** The configured `instanceId` is in use by a session that does not end. */
export class InstanceIdTakenError extends ElasticJobError {
  readonly code = 'INSTANCE_ID_TAKEN';

  constructor(
    readonly jobName: JobName,
    readonly instanceId: string,
    readonly ownerSession: string | undefined,
  ) {
    super(
      `Job "${jobName}": instance "${instanceId}" is registered by session ${ownerSession ?? '(unknown)'}, which is alive; ` +
        'give each instance an instanceId of its own, or none.',
    );
  }
}
