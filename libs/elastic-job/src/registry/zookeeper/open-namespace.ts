import type { Namespace } from '../namespace.js';
import { refusalError } from '../refusal-error.js';
import { RegistryUnavailableError } from '../registry.errors.js';
import type { Connection } from './connection.js';
import { type Protocol, refusalOf, type Request } from './protocol.js';

/**
 * Sees to it that the namespace exists and that this client may read it.
 * @throws {NoAuthError} if it belongs to another digest @throws {RegistryUnavailableError}
 */
export async function openNamespace(connection: Connection, protocol: Protocol, namespace: Namespace): Promise<void> {
  if (await succeeds(connection, namespace.root, protocol.node(namespace.root), 'NO_NODE')) return;
  for (const level of levelsOf(namespace.root)) {
    await succeeds(connection, level, protocol.create(level, '', 'PERSISTENT'), 'NODE_EXISTS');
  }
  await succeeds(connection, namespace.root, protocol.node(namespace.root));
}

/** @returns false for the refusal that is expected @throws for any other */
async function succeeds(
  connection: Connection,
  path: string,
  request: Request<unknown>,
  expected?: 'NO_NODE' | 'NODE_EXISTS',
): Promise<boolean> {
  const answer = await connection.ask(request);
  if (answer.kind === 'ok') return true;
  const refusal = answer.kind === 'refused' ? refusalOf(answer.code) : undefined;
  if (refusal === undefined) throw new RegistryUnavailableError(`open ${path}`, 'unknown', 'the server gave no answer');
  if (refusal === expected) return false;
  throw refusalError(refusal, path);
}

/** `/shop`, `/shop/orders`. */
function levelsOf(path: string): readonly string[] {
  const names = path.split('/').slice(1);
  return names.map((_, depth) => `/${names.slice(0, depth + 1).join('/')}`);
}
