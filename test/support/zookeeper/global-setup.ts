import type { TestProject } from 'vitest/node';
import { startZooKeeper } from './zookeeper-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server list of the real ZooKeeper of this run: `inject('zooKeeper')`. */
    zooKeeper: string;
  }
}

/**
 * One real server for the whole run. The run fails without a server, so that no suite over real parts is skipped
 * unnoticed.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startZooKeeper();
  project.provide('zooKeeper', server.connect);
  return () => server.stop();
}
