import {
  NodeExistsError,
  NoNodeError,
  type CreateMode,
  type RegistryCenter,
} from '../../../libs/elastic-job/src/registry/index.js';

/**
 * The registry as Java's `ZookeeperRegistryCenter` uses it: it reads, then writes, each in a request of its own, and
 * ignores what has happened in between.
 * @see elasticjob-protocol, 2.1
 */
export class JavaRegistry {
  constructor(readonly center: RegistryCenter) {}

  async get(path: string): Promise<string | undefined> {
    return (await this.center.read(path))?.data;
  }

  async exists(path: string): Promise<boolean> {
    return (await this.center.exists(path)) !== undefined;
  }

  /** In descending order. */
  async children(path: string): Promise<string[]> {
    const names = await swallow(() => this.center.children(path));
    return [...(names ?? [])].toSorted().toReversed();
  }

  async persist(path: string, data: string): Promise<void> {
    if (await this.exists(path)) await swallow(() => this.center.set(path, data));
    else await this.create(path, data, 'PERSISTENT');
  }

  async persistEphemeral(path: string, data: string): Promise<void> {
    await this.removeIfExists(path);
    await this.create(path, data, 'EPHEMERAL');
  }

  async createIfNeeded(path: string): Promise<void> {
    if (!(await this.exists(path))) await this.persist(path, '');
  }

  async removeIfExists(path: string): Promise<void> {
    if (await this.exists(path)) await this.remove(path);
  }

  async create(path: string, data: string, mode: CreateMode): Promise<void> {
    await this.center.ensurePath(path.slice(0, path.lastIndexOf('/')));
    await swallow(() => this.center.create(path, data, mode));
  }

  async remove(path: string): Promise<void> {
    for (const name of await this.children(path)) await this.remove(`${path}/${name}`);
    await swallow(() => this.center.delete(path));
  }
}

async function swallow<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof NoNodeError || error instanceof NodeExistsError) return undefined;
    throw error;
  }
}
