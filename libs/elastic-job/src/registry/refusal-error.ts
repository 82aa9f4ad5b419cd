import type { ElasticJobError } from '../domain/index.js';
import type { Refusal } from './registry-center.js';
import {
  BadVersionError,
  NoAuthError,
  NoChildrenForEphemeralsError,
  NodeExistsError,
  NoNodeError,
  NotEmptyError,
  ServerError,
} from './registry.errors.js';

const NO_AUTH = -102;

/** Error of a single request where a transaction would answer with a refusal. */
export function refusalError(refusal: Refusal, path: string, version?: number): ElasticJobError {
  switch (refusal) {
    case 'NO_NODE':
      return new NoNodeError(path);
    case 'NODE_EXISTS':
      return new NodeExistsError(path);
    case 'BAD_VERSION':
      return new BadVersionError(path, version);
    case 'NOT_EMPTY':
      return new NotEmptyError(path);
    case 'NO_CHILDREN_FOR_EPHEMERALS':
      return new NoChildrenForEphemeralsError(path);
    default:
      return refusal satisfies never;
  }
}

/**
 * Error for a server's code that is not a refusal.
 * @param path the node at which the request failed, if known
 */
export function serverError(code: number, operation: string, path?: string): ElasticJobError {
  return code === NO_AUTH && path !== undefined ? new NoAuthError(path) : new ServerError(operation, code, path);
}
