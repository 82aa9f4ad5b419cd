import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { judgeReadiness } from '../../../libs/elastic-job/src/health/index.js';
import { ZooKeeperRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { OpenHandles, startEnsemble, whyNoProcessClock } from '@test/support/faults/index.js';

const JOB = 'tick';
const HOUR_MS = 3_600_000;
/** Other processes may use the machine too. */
const SLACK_MS = 4_000;

/** A host with a wrong wall clock, which can be set. */
class OffClock extends SystemClock {
  constructor(
    public aheadMs: number,
    private readonly ownPid: number,
  ) {
    super();
  }

  override wallNow(): number {
    return super.wallNow() + this.aheadMs;
  }

  override pid(): number {
    return this.ownPid;
  }
}

interface Run {
  readonly pid: number;
  readonly fireTime: number;
  readonly at: number;
}

interface Worker {
  readonly runtime: ElasticJobRuntime;
  readonly clock: OffClock;
  readonly events: JobEvent[];
  stop(): Promise<void>;
}

const missing = await whyNoProcessClock();
const handles = new OpenHandles();
let runs: Run[] = [];
afterEach(async () => {
  await handles.stopAll();
  runs = [];
});

describe.skipIf(missing)(
  'instances over an ensemble whose members have clocks of their own',
  { timeout: 120_000 },
  () => {
    it.each([
      ['by 5 seconds', 5_000],
      ['by 2 hours', 2 * HOUR_MS],
    ])('go on when the leadership moves between servers whose clocks are off %s, each way', async (_, offMs) => {
      const ensemble = await handles.add(startEnsemble(3, { ownClock: true, settings: { tickTime: 500 } }));
      const leader = await ensemble.leader();
      const [behind, ahead] = ensemble.members.filter((member) => member !== leader);
      await behind!.clock!.set(-offMs);
      await ahead!.clock!.set(offMs);
      const workers = [await startWorker(ensemble.connect, 1), await startWorker(ensemble.connect, 2)];
      await untilRuns(5);

      for (let moves = 0; moves < 3; moves += 1) {
        const led = await ensemble.leader();
        await led.kill();
        await ensemble.untilServing();
        const before = runs.length;
        await untilRuns(before + 5);
        await led.launch();
        await ensemble.untilServing();
      }

      const events = workers.flatMap((worker) => worker.events);
      expect(doubled()).toEqual([]);
      expect(runs.filter(({ at, fireTime }) => at < fireTime)).toEqual([]);
      expect(events.filter(({ kind }) => kind === 'early')).toEqual([]);
      expect(clockStates(events)).not.toContain('ahead');
    });

    it('are not kept from running by one whose clock was 5 hours ahead, and has left', async () => {
      const ensemble = await handles.add(startEnsemble(3, { settings: { tickTime: 500 } }));
      const fast = await startWorker(ensemble.connect, 1, 5 * HOUR_MS);
      await untilRuns(3);
      expect(clockStates(fast.events)).toEqual(['ahead']);
      expect(judgeReadiness(fast.runtime.status()).status).toBe('degraded');
      const other = await startWorker(ensemble.connect, 2);
      await fast.stop();
      const left = runs.length;

      await untilRuns(left + 3);

      expect(runs.slice(left).every(({ pid }) => pid === 2)).toBe(true);
      expect(clockStates(other.events)).toEqual([]);
      expect(doubled()).toEqual([]);
    });

    it('runs on when it is alone and its clock is corrected by 2 hours', async () => {
      const ensemble = await handles.add(startEnsemble(3, { settings: { tickTime: 500 } }));
      const lone = await startWorker(ensemble.connect, 1, 2 * HOUR_MS);
      await untilRuns(3);
      lone.clock.aheadMs = 0;
      const before = runs.length;

      await untilRuns(before + 3);

      expect(doubled()).toEqual([]);
      expect(judgeLate()).toBeLessThan(SLACK_MS);
    });
  },
);

async function startWorker(servers: string, pid: number, aheadMs = 0): Promise<Worker> {
  const clock = new OffClock(aheadMs, pid);
  const options = { servers, namespace: 'clocks', sessionTimeoutMs: 6_000, requestTimeoutMs: 3_000 };
  const registry = new ZooKeeperRegistryCenter(options, clock);
  const runtime = new ElasticJobRuntime({ registry, clock, drainTimeoutMs: 2_000 });
  const events: JobEvent[] = [];
  runtime.events.on((event) => void events.push(event));
  const job = { name: JOB, cron: '* * * * * ?', shardingTotalCount: 1, failover: true };
  await runtime.registrar.add(job, ({ fireTime }) => {
    runs.push({ pid, fireTime: fireTime.getTime(), at: Date.now() });
  });
  const stop = () => runtime.stop();
  await handles.add({ stop });
  await runtime.start();
  return { runtime, clock, events, stop };
}

async function untilRuns(count: number): Promise<void> {
  await expect.poll(() => runs.length, { timeout: 30_000, interval: 50 }).toBeGreaterThanOrEqual(count);
}

/** The fire times that were run more than once. */
function doubled(): number[] {
  const times = runs.map(({ fireTime }) => fireTime);
  return times.filter((time, index) => times.indexOf(time) !== index);
}

/** How late the last run was, in milliseconds by the host's clock. */
function judgeLate(): number {
  const { at, fireTime } = runs.at(-1)!;
  return Math.abs(at - fireTime);
}

function clockStates(events: readonly JobEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'clock' ? [event.state] : []));
}
