import type { FactoryProvider } from '@nestjs/common';
import { showAs } from '../domain/index.js';

/** A provider whose object is concealed. */
export function concealed(provider: FactoryProvider): FactoryProvider {
  const create = provider.useFactory;
  return { ...provider, useFactory: (...parts: unknown[]) => conceal(create(...parts)) };
}

/**
 * Makes an object show only its name in logs and in JSON. It holds options and texts of the registry, and an
 * application that logs its own providers would reveal their secrets.
 */
export function conceal<Made>(made: Made): Made {
  if (typeof made !== 'object' || made === null || !Object.isExtensible(made)) return made;
  const { name } = made.constructor;
  showAs(made, () => `${name} {}`);
  if (!('toJSON' in made)) Object.defineProperty(made, 'toJSON', { value: () => ({}), configurable: true });
  return made;
}
