import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { startZooKeeperServer, type TestServer } from '@test/support/faults/index.js';
import { InteropStage, SHORT_TICKS } from './interop-stage.js';
import type { JavaRelease } from '@test/support/peers/java-build.js';

/** Reason why the suite cannot run on this machine. Undefined if it can. */
export const whyNot = (): string | undefined => inject('whyNoJava');

/** A stage for each test around the call, and one server for all of them. */
export function useInterop(release?: JavaRelease): () => InteropStage {
  let server: TestServer | undefined;
  let stage: InteropStage | undefined;
  let tests = 0;
  const programs = { java: inject('javaPeers'), node: inject('nodePeer') };
  beforeAll(async () => {
    server = await startZooKeeperServer({ settings: SHORT_TICKS });
  });
  beforeEach(() => {
    stage = new InteropStage(server!, `interop-${(tests += 1)}`, programs, release);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(stage?.story());
    await stage?.stop();
  });
  afterAll(() => server?.stop());
  return () => stage!;
}
