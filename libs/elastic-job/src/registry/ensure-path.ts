import { childPath } from './node-map.js';
import { NodeExistsError, NoNodeError } from './registry.errors.js';

/**
 * Creates the missing levels of a path.
 * @param create sends the creation of one level; the registry applies them in the order in which they are sent
 * @param openNamespace creates the namespace, which somebody may have deleted since this client has connected
 */
export async function ensureLevels(
  path: string,
  create: (level: string) => Promise<unknown>,
  openNamespace: () => Promise<void>,
): Promise<void> {
  try {
    await createLevels(path, create);
  } catch (error) {
    if (!(error instanceof NoNodeError)) throw error;
    await openNamespace();
    await createLevels(path, create);
  }
}

async function createLevels(path: string, create: (level: string) => Promise<unknown>): Promise<void> {
  const names = path.split('/').slice(1);
  const levels = names.map((_, depth) => names.slice(0, depth + 1).reduce(childPath, '/'));
  // Sent all at once.
  await Promise.all(
    levels.map((level) =>
      create(level).catch((error: unknown) => {
        if (!(error instanceof NodeExistsError)) throw error;
      }),
    ),
  );
}
