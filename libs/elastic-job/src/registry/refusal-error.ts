import type { ElasticJobError } from '../domain/index.js';
import type { Refusal } from './registry-center.js';
import {
  BadVersionError,
  NoAuthError,
  NoChildrenForEphemeralsError,
  NodeExistsError,
  NoNodeError,
  NotEmptyError,
} from './registry.errors.js';

/** The error with which a single request rejects where a transaction would answer with a refusal. */
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
    case 'NO_AUTH':
      return new NoAuthError(path);
    default:
      return refusal satisfies never;
  }
}
