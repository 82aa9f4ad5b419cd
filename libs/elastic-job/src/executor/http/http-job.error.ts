import { ElasticJobError, HiddenText, type JobName } from '../../domain/index.js';

/** Facts about a failed request, besides its outcome. */
export interface HttpFailure extends ErrorOptions {
  /** Undefined if there was no answer. */
  readonly status?: number;
  /** The beginning of the answer's body. */
  readonly body?: string;
}

/**
 * The request of an HTTP job was answered with a redirect or a status of 400 or above, or was not answered.
 * @remarks Look at the status and at the service that was asked. `body` holds the beginning of its answer.
 */
export class HttpJobError extends ElasticJobError {
  readonly code = 'HTTP_JOB';
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /**
   * The beginning of the answer's body. Neither log nor message shows it, since it may hold confidential data of the
   * service.
   */
  readonly body: HiddenText | undefined;

  /** @param request `POST https://example.org/settle`: without the query, which may hold a secret */
  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly request: string,
    detail: string,
    { status, body, ...options }: HttpFailure = {},
  ) {
    super(`Item ${item} of job "${jobName}": ${request} ${detail}`, options);
    this.status = status;
    this.body = body === undefined ? undefined : new HiddenText(body);
  }
}
