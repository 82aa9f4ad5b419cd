import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type ClientProcess, forkClient } from '@test/support/faults/index.js';
import { watchStalls } from '@test/support/stalls.js';
import { CONNECTION, EACH, LATENESS_MS, NAMESPACE, useStage } from './registry/stage.js';

const DRAIN_TIMEOUT_MS = 4_000;
const LONGEST_MS = DRAIN_TIMEOUT_MS + 3_000;
/** A process may have to compile the library first. */
const START_LIMIT_MS = 40_000;
const stage = useStage();

describe('SIGTERM while the ZooKeeper server is stopped', EACH, () => {
  it('ends a process whose handler ignores SIGTERM within drainTimeoutMs and 3 s, also if sent twice', async () => {
    const server = await stage().server();
    const worker = await fork(server.connect);
    await worker.receive((message) => message === 'running', START_LIMIT_MS);
    server.pause();

    const tookMs = await timeToEnd(worker, async (signal) => {
      signal();
      await delay(1_000);
      signal();
    });

    expect(tookMs).toBeGreaterThan(DRAIN_TIMEOUT_MS);
    expect(tookMs).toBeLessThanOrEqual(LONGEST_MS);
    server.resume();
  });

  it('ends a process within that time while it waits for the server to start', async () => {
    const server = await stage().server();
    server.pause();
    const worker = await fork(server.connect);
    await worker.receive((message) => message === 'starting', START_LIMIT_MS);
    await delay(500); // The connection is accepted, but nothing is answered.

    expect(await timeToEnd(worker, async (signal) => signal())).toBeLessThanOrEqual(LONGEST_MS);
    server.resume();
  });
});

function fork(servers: string): Promise<ClientProcess> {
  const options = { servers, namespace: NAMESPACE, sessionTimeoutMs: 60_000, drainTimeoutMs: DRAIN_TIMEOUT_MS };
  const script = new URL('./shutdown.fixture.ts', import.meta.url);
  return stage().add(forkClient(script, [JSON.stringify({ ...options, ...CONNECTION })]));
}

/** Milliseconds from the first signal to the end of the process, without the stalls of this machine. */
async function timeToEnd(worker: ClientProcess, act: (signal: () => void) => Promise<void>): Promise<number> {
  const stalledMs = watchStalls();
  const begun = performance.now();
  await act(() => process.kill(worker.pid, 'SIGTERM'));
  await worker.receive((message) => message === 'stopped', 2 * LONGEST_MS);
  await worker.ended;
  return performance.now() - begun - stalledMs() - LATENESS_MS;
}
