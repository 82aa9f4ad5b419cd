import { type ArgumentsHost, Catch, HttpException, HttpStatus } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { ElasticJobError } from '../domain/index.js';

/** Statuses by error code. `OVERSIZED_NODE` has none: it appears only in an event. */
const STATUS: ReadonlyMap<string, HttpStatus> = new Map([
  ['UNKNOWN_JOB', HttpStatus.NOT_FOUND],
  ['UNKNOWN_ITEM', HttpStatus.NOT_FOUND],
  ['UNKNOWN_SERVER', HttpStatus.NOT_FOUND],
  ['UNKNOWN_CLOUD_APP', HttpStatus.NOT_FOUND],
  ['UNKNOWN_CLOUD_JOB', HttpStatus.NOT_FOUND],
  ['CONFIGURATION', HttpStatus.BAD_REQUEST],
  ['INVALID_ARGUMENT', HttpStatus.BAD_REQUEST],
  ['CRON_SYNTAX', HttpStatus.BAD_REQUEST],
  ['TIME_ZONE', HttpStatus.BAD_REQUEST],
  ['CONFIGURATION_NODE', HttpStatus.CONFLICT],
  ['ELASTIC_JOB_2_CONFIGURATION', HttpStatus.CONFLICT],
  ['CONTENTION', HttpStatus.CONFLICT],
  ['JOB_EXISTS', HttpStatus.CONFLICT],
  ['CLOUD_APP_EXISTS', HttpStatus.CONFLICT],
  ['CLOUD_APP_DISABLED', HttpStatus.CONFLICT],
  ['CLOUD_JOB_EXISTS', HttpStatus.CONFLICT],
  ['CLOUD_JOB_DISABLED', HttpStatus.CONFLICT],
  ['CLOUD_TRIGGER', HttpStatus.CONFLICT],
  ['UNUSABLE_CLOUD_NODE', HttpStatus.CONFLICT],
  ['MISSING_RUN_HISTORY', HttpStatus.CONFLICT],
  ['MISSING_HISTORY_TABLE', HttpStatus.CONFLICT],
  ['CHANGED', HttpStatus.PRECONDITION_FAILED],
  ['REPEATED_RECONCILE', HttpStatus.TOO_MANY_REQUESTS],
  ['REQUEST_TOO_LARGE', HttpStatus.PAYLOAD_TOO_LARGE],
  ['NO_AUTH', HttpStatus.FORBIDDEN],
  ['UNTRUSTED_ACL', HttpStatus.FORBIDDEN],
  ['REGISTRY_UNAVAILABLE', HttpStatus.SERVICE_UNAVAILABLE],
  ['SERVER_ERROR', HttpStatus.SERVICE_UNAVAILABLE],
  ['TASK_BACKEND', HttpStatus.SERVICE_UNAVAILABLE],
  ['SESSION_LOST', HttpStatus.SERVICE_UNAVAILABLE],
  ['SHUTTING_DOWN', HttpStatus.SERVICE_UNAVAILABLE],
]);

/**
 * Answers HTTP requests that end with an error of this package by `{ statusCode, code, message }`:
 * - 400 for a wrong argument or setting;
 * - 403 for missing rights in the registry, and for an ACL that gives others too many;
 * - 404 for an unknown job, item, server or application;
 * - 409 for a conflict with the registry's contents or other writers, and for a missing history;
 * - 412 for an edit of settings that have another version than it expects;
 * - 413 for data beyond the limit of a node or request;
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
    const statusCode = STATUS.get(code);
    const answer = statusCode && new HttpException({ statusCode, code, message }, statusCode, { cause: error });
    // oxlint-disable-next-line promise/valid-params, promise/no-promise-in-callback -- it is no promise's
    super.catch(answer ?? error, host);
  }
}
