import type { TestProject } from 'vitest/node';
import { bundleConnectionWorker } from '@test/support/bundle/bundle.js';
import { startZooKeeperServer } from '@test/support/faults/index.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The entry of the connections in a worker thread; undefined where clients connect in-process. */
    connectionWorker: string | undefined;
    /** Time that this machine needs to start a server, in milliseconds. */
    serverStartMs: number;
  }
}

/** `CHAOS_CONNECTION=worker-thread` runs every suite with connections in a worker thread. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | void> {
  project.provide('serverStartMs', await measureServerStart());
  if (process.env['CHAOS_CONNECTION'] !== 'worker-thread') return;
  const worker = await bundleConnectionWorker();
  project.provide('connectionWorker', worker.url.href);
  return () => worker.remove();
}

async function measureServerStart(): Promise<number> {
  const begun = performance.now();
  const server = await startZooKeeperServer();
  const took = Math.ceil(performance.now() - begun);
  await server.stop();
  return took;
}
