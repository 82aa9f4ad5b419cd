import { NoNodeError } from './registry.errors.js';
import type { RegistryCenter, RequestOptions } from './registry-center.js';

/** The answer to a request; undefined if the node that it names is not there. */
export async function unlessAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NoNodeError) return undefined;
    throw error;
  }
}

/** The names of a node's children, in no particular order; none if there is no such node. One request. */
export async function namesBelow(
  registry: Pick<RegistryCenter, 'children'>,
  path: string,
  options?: RequestOptions,
): Promise<readonly string[]> {
  return (await unlessAbsent(registry.children(path, options))) ?? [];
}
