import type { ElasticJobError } from '../../domain/index.js';
import { refusalError, serverError } from '../refusal-error.js';
import type { RegistryNode } from '../registry-center.js';
import { NoNodeError } from '../registry.errors.js';
import { type NodeFound, refusalOf, type Reply } from './wire/index.js';

/** Error for a code with which the server refuses a request. */
export function errorOf(operation: string, path: string, code: number, version?: number): ElasticJobError {
  const refusal = refusalOf(code);
  return refusal ? refusalError(refusal, path, version) : serverError(code, operation, path);
}

/** Value of a reply. @throws the error of the refusal */
export function valueOf<T>(operation: string, path: string, reply: Reply<T>, version?: number): T {
  if (reply.kind === 'ok') return reply.value;
  throw errorOf(operation, path, reply.code, version);
}

/** Turns a missing node into undefined. */
export async function unlessAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NoNodeError) return undefined;
    throw error;
  }
}

/** A node that was read among others. @throws the error of the refusal, unless the node is missing */
export function nodeFound(path: string, found: NodeFound): RegistryNode | undefined {
  if (found.kind === 'data') return { path, data: found.data, stat: found.stat };
  const code = found.kind === 'refused' ? found.code : 0;
  return refusalOf(code) === 'NO_NODE' ? undefined : valueOf(`read ${path}`, path, { kind: 'refused', code });
}
