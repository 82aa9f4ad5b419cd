import type { TestProject } from 'vitest/node';
import { bundleConnectionWorker } from '../support/bundle/bundle.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The entry of the connections in a worker thread; undefined where clients connect in-process. */
    connectionWorker: string | undefined;
  }
}

/** `CHAOS_CONNECTION=worker-thread` runs every suite with connections in a worker thread. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | void> {
  if (process.env['CHAOS_CONNECTION'] !== 'worker-thread') return;
  const worker = await bundleConnectionWorker();
  project.provide('connectionWorker', worker.url.href);
  return () => worker.remove();
}
