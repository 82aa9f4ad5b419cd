import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { connectRawClient, OpenHandles, ProcessClock, startEnsemble, whyNoProcessClock } from './index.js';

const HOUR_MS = 3_600_000;
/** Longest difference between the clocks of two processes on a busy machine. */
const NEAR_MS = 1_500;
const handles = new OpenHandles();
afterAll(() => handles.stopAll());

/** A process that prints its wall and its monotonic clock for each line that it reads. */
const TELLER = `process.stdin.on('data', () => console.log(Date.now(), Number(process.hrtime.bigint() / 1000000n)))`;

const missing = await whyNoProcessClock();

describe.skipIf(missing)('the clock of a process', { timeout: 60_000 }, () => {
  it('is stepped while the process runs, and leaves its monotonic clock alone', async () => {
    const clock = await handles.add(ProcessClock.make(2 * HOUR_MS));
    const child = spawn('node', ['-e', TELLER], { env: { ...process.env, ...clock.environment } });
    await handles.add({ stop: async () => void child.kill('SIGKILL') });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const lookAhead = async () => {
      child.stdin.write('?\n');
      const [wall = NaN, monotonic = NaN] = ((await lines.next()).value ?? '').split(' ').map(Number);
      const stray = Math.abs(Number(process.hrtime.bigint() / 1_000_000n) - monotonic);
      return { aheadMs: wall - Date.now(), isMonotonic: stray < NEAR_MS };
    };
    for (const offsetMs of [2 * HOUR_MS, -2 * HOUR_MS, 0, -5_500]) {
      await clock.set(offsetMs);
      const { aheadMs, isMonotonic } = await lookAhead();
      expect(isMonotonic).toBe(true);
      expect(Math.abs(aheadMs - offsetMs)).toBeLessThan(NEAR_MS);
    }
  });

  it('gives transactions of an ensemble the time of its leader, back and forth', async () => {
    const ensemble = await handles.add(startEnsemble(3, { ownClock: true }));
    const leader = await ensemble.leader();
    const others = ensemble.members.filter((member) => member !== leader);
    await leader.clock!.set(2 * HOUR_MS);
    for (const other of others) await other.clock!.set(-5_000);
    const aheadMs = async (path: string) => {
      const client = await handles.add(connectRawClient((await ensemble.leader()).port));
      await client.create(path);
      return Number((await client.exists(path)).body.readBigInt64BE(24)) - Date.now();
    };

    expect(Math.abs((await aheadMs('/before')) - 2 * HOUR_MS)).toBeLessThan(NEAR_MS);
    await leader.kill();
    await ensemble.untilServing();
    expect(Math.abs((await aheadMs('/after')) + 5_000)).toBeLessThan(NEAR_MS);
  });
});
