import type { ElasticJobError } from '../domain/index.js';
import type { Refusal, SessionInfo } from './registry-center.js';
import {
  BadVersionError,
  NoAuthError,
  NoChildrenForEphemeralsError,
  NodeExistsError,
  NoNodeError,
  NotEmptyError,
  RegistryUnavailableError,
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

const NOT_YET =
  'the registry is not connected yet; an application connects as the last step of its start, ' +
  'so ask after app.init() or app.listen()';

/** Error of a request that has no connection. @param isClosed true once the client is closed */
export function noConnection(
  operation: string,
  { state }: Pick<SessionInfo, 'state'>,
  isClosed: boolean,
): RegistryUnavailableError {
  const why = state === undefined ? NOT_YET : 'there is no connection to the registry';
  const detail = isClosed ? 'this registry center is closed' : why;
  return new RegistryUnavailableError(operation, 'not-applied', detail);
}
