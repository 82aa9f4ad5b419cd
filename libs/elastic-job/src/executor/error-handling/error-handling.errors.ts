import { ElasticJobError } from '../../domain/index.js';

/** A report that did not reach its channel; the job has not noticed. */
export class DeliveryError extends ElasticJobError {
  readonly code = 'DELIVERY';

  constructor(
    /** The type of the error handler. */
    readonly type: string,
    /** What became of it: `the server answered 500`. */
    readonly fault: string,
    options?: ErrorOptions,
  ) {
    super(`A failure was not told through ${type}: ${fault}.`, options);
  }
}
