import { ElasticJobError } from '../../domain/index.js';

/**
 * A report has not reached its channel. The job is not affected.
 * @remarks Check the channel's address, credentials and service. The job itself goes on.
 */
export class DeliveryError extends ElasticJobError {
  readonly code = 'DELIVERY';

  constructor(
    /** The type of the error handler. */
    readonly type: string,
    /** The fault: `the server answered 500`. */
    readonly fault: string,
    options?: ErrorOptions,
  ) {
    super(`A failure was not delivered by ${type}: ${fault}.`, options);
  }
}
