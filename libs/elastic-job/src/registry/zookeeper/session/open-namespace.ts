import type { Namespace } from '../../namespace.js';
import { creation } from '../../operations.js';
import type { RequestOptions } from '../../registry-center.js';
import { AuthenticationError, UnsupportedServerError } from '../../registry.errors.js';
import {
  connectionBroke,
  errorOf,
  type Link,
  type Protocol,
  refusalOf,
  type Reply,
  type Request,
  UNAUTHENTICATED,
  UNIMPLEMENTED,
} from '../wire/index.js';

/**
 * Checks that the server is recent enough, that the namespace exists and that this client may read it; creates the
 * namespace if it is missing.
 * @throws {UnsupportedServerError}
 * @throws {AuthenticationError}
 * @throws {NoAuthError} if it belongs to another digest
 * @throws {RegistryUnavailableError}
 */
export async function openNamespace(
  connection: Link,
  protocol: Protocol,
  namespace: Namespace,
  servers: string,
): Promise<void> {
  const read = await askLink(
    connection,
    `open ${namespace.root}`,
    protocol.multiRead([{ what: 'data', path: namespace.root }]),
  );
  // ZooKeeper has had reads of many nodes for as long as the watches that views need, so one check does for both.
  if (read.kind === 'refused')
    throw read.code === UNIMPLEMENTED ? new UnsupportedServerError(servers) : refused(read.code, namespace.root);
  const [root] = read.value;
  if (root?.kind !== 'refused') return;
  if (refusalOf(root.code) !== 'NO_NODE') throw refused(root.code, namespace.root);
  const requests = { ask: <T>(operation: string, request: Request<T>) => askLink(connection, operation, request) };
  await createNamespace(requests, protocol, namespace);
}

/** Sends a request, and resolves with its reply. */
interface Requests {
  ask<T>(operation: string, request: Request<T>, options?: RequestOptions): Promise<Reply<T>>;
}

/** Creates the missing levels of the namespace. */
export async function createNamespace(
  requests: Requests,
  protocol: Protocol,
  namespace: Namespace,
  options?: RequestOptions,
): Promise<void> {
  for (const level of namespace.levels) {
    const created = await requests.ask(`open ${level}`, protocol.single(creation(level), level), options);
    if (created.kind === 'refused' && refusalOf(created.code) !== 'NODE_EXISTS') throw refused(created.code, level);
  }
}

/** @throws {RegistryUnavailableError} */
export async function askLink<T>(connection: Link, operation: string, request: Request<T>): Promise<Reply<T>> {
  const answer = await connection.ask(request);
  if (answer.kind !== 'dropped') return answer;
  throw connectionBroke(operation, answer);
}

function refused(code: number, path: string): Error {
  if (code === UNAUTHENTICATED)
    return new AuthenticationError('the servers ask for SASL or another kind of authentication');
  return errorOf(`open ${path}`, path, code);
}
