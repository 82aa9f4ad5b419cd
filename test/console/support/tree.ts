import type { INestApplication } from '@nestjs/common';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';

/** All nodes of the application's namespace: data and version by path. */
export async function treeOf(app: INestApplication): Promise<Readonly<Record<string, string>>> {
  const registry: RegistryCenter = app.get(Symbol.for('nestjs-elastic-job:registry-center'));
  const nodes: Record<string, string> = {};
  const walk = async (path: string): Promise<void> => {
    for (const name of await registry.children(path)) {
      const child = `${path === '/' ? '' : path}/${name}`;
      const node = await registry.read(child);
      if (node !== undefined) nodes[child] = `${node.stat.version} ${node.data}`;
      await walk(child);
    }
  };
  await walk('/');
  return nodes;
}
