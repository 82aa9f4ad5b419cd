import type { TestProject } from 'vitest/node';
import { startZooKeeper } from './zookeeper-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server list of the real ZooKeeper of this run: `inject('zooKeeper')`. */
    zooKeeper: string;
  }
}

/**
 * One real server for the whole run. Without one the run fails: a suite over real parts is never skipped in silence.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startZooKeeper();
  project.provide('zooKeeper', server.connect);
  return () => server.stop();
}
