import { ConfigurationError } from '../domain/index.js';

/**
 * Refuses what a compiler passes to decorators of the ECMAScript proposal: the decorated value, and a context.
 * @param what the decorator as it is written in code
 * @param given the argument in the place of a member's name
 * @throws {ConfigurationError}
 */
export function assertApplied(what: string, given: unknown): void {
  if (typeof given !== 'object' || given === null || !('kind' in given)) return;
  throw new ConfigurationError(`${what} on ${String(Reflect.get(given, 'name'))}`, [
    'the compiler has applied it by the ECMAScript proposal (stage 3), which Nest does not know; set ' +
      '"experimentalDecorators" and "emitDecoratorMetadata" in the tsconfig.json that it reads',
  ]);
}
