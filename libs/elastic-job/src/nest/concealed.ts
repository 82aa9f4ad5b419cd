import type { FactoryProvider } from '@nestjs/common';
import { showAs } from '../domain/index.js';

/** The provider, whose object is concealed. */
export function concealed(provider: FactoryProvider): FactoryProvider {
  const create = provider.useFactory;
  return { ...provider, useFactory: (...parts: unknown[]) => conceal(create(...parts)) };
}

/**
 * Lets an object show its name alone in logs and in JSON. Inside are options and texts of the registry: an application
 * that logs its own providers would tell their secrets.
 */
export function conceal<Made>(made: Made): Made {
  if (typeof made !== 'object' || made === null || !Object.isExtensible(made)) return made;
  const { name } = made.constructor;
  showAs(made, () => `${name} {}`);
  if (!('toJSON' in made)) Object.defineProperty(made, 'toJSON', { value: () => ({}), configurable: true });
  return made;
}
