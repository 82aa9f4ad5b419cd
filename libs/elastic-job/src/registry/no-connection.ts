import type { SessionInfo } from './registry-center.js';
import { RegistryUnavailableError } from './registry.errors.js';

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
