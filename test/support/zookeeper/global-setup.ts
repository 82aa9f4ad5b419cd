import { once } from 'node:events';
import { createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { startZooKeeper, type ZooKeeperServer } from './zookeeper-server.js';

/** One real server for the whole run, which specs get by `sharedZooKeeper()`. A run in which none asks starts none. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<ZooKeeperServer> | undefined;
  const door = createServer((asking) => {
    server ??= startZooKeeper();
    server.then(
      ({ connect }) => asking.end(JSON.stringify({ servers: connect })),
      (error: unknown) => asking.end(JSON.stringify({ reason: String(error) })),
    );
  });
  await once(door.listen(0, '127.0.0.1'), 'listening');
  const address = door.address();
  if (address === null || typeof address === 'string') throw new Error('The door has no port.');
  project.provide('sharedZooKeeper', address.port);
  return async () => {
    door.close();
    await server?.then(
      (started) => started.stop(),
      () => {},
    );
  };
}
