import { type ArgumentsHost, Catch, HttpException } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { ElasticJobError, statusOfError } from '../domain/index.js';

/**
 * Answers HTTP requests that end with an error of this package by `{ statusCode, code, message }`:
 * - 400 for a wrong argument or setting;
 * - 403 for missing rights in the registry, and for an ACL that gives others too many;
 * - 404 for an unknown job, item, server, re-run or application;
 * - 409 for a conflict with the registry's contents or other writers, and for a missing history;
 * - 412 for an edit of settings that have another version than it expects;
 * - 413 for data beyond the limit of a node or request;
 * - 422 for a fire time that the schedule lacks;
 * - 429 for a repetition that comes too soon;
 * - 503 while the registry or backend is away, or the process stops.
 *
 * Any other error is answered by 500 and logged, as Nest does. Outside of HTTP the error goes on.
 *
 * @example { provide: APP_FILTER, useClass: ElasticJobExceptionFilter }
 */
@Catch(ElasticJobError)
export class ElasticJobExceptionFilter extends BaseExceptionFilter {
  override catch(error: ElasticJobError, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw error;
    const { code, message } = error;
    const statusCode = statusOfError(code);
    const answer = statusCode && new HttpException({ statusCode, code, message }, statusCode, { cause: error });
    // oxlint-disable-next-line promise/valid-params, promise/no-promise-in-callback -- it is no promise's
    super.catch(answer ?? error, host);
  }
}
