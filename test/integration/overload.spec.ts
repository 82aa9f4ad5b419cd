import { afterEach, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { type MisfirePolicy, resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import {
  MemoryRegistry,
  type RegistryCenter,
  ZooKeeperRegistryCenter,
} from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { ascending, range } from '../scenario/support/run-checks.js';
import { LIMITS } from '@test/support/limits.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Jobs that fire every second. In a peak each blocks the event loop, so two seconds of work are due in each second. */
const JOBS = range(10).map((job) => `job-${job}`);
const BLOCK_MS = 200;
const PEAK_RUNS = 20;
const LATE_AFTER_MS = SECOND;
const POLICIES: readonly MisfirePolicy[] = ['skip', 'once', 'all'];

const clock = new SystemClock();
const memory = new MemoryRegistry(clock);
const adapters: { readonly name: string; readonly center: (namespace: string) => RegistryCenter }[] = [
  {
    name: 'memory',
    center: (namespace) => memory.center({ namespace, clock, sessionTimeoutMs: 30_000, requestTimeoutMs: 10_000 }),
  },
  {
    name: 'zookeeper',
    center: (namespace) => new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace }, clock),
  },
];

let jobs: BlockingJobs;
afterEach(() => jobs.runtime.stop());

it.each(adapters)(
  'loses no fire time and is in time within a minute after handlers have blocked ($name)',
  LIMITS,
  async ({ center }) => {
    jobs = new BlockingJobs(center(`overload-${clock.uuid()}`));
    await jobs.start();
    const since = await jobs.roundInTime();
    await jobs.block(PEAK_RUNS);
    const peakOver = clock.monotonicNow();
    const until = await jobs.roundInTime();

    expect(clock.monotonicNow() - peakOver).toBeLessThan(MINUTE);
    const late = jobs.told('late');
    const names = late.map(({ trigger }) => trigger.jobName);
    expect(names).not.toEqual([]);
    expect(names, 'each job is told of once in a minute').toEqual([...new Set(names)]);
    for (const { latenessMs } of late) expect(latenessMs).toBeGreaterThan(LATE_AFTER_MS);
    const due = range((until - since) / SECOND).map((second) => since + (second + 1) * SECOND);
    for (const job of JOBS) expect(jobs.runOrMissed(job, due)).toEqual(due);
    expect(jobs.told('session').map(({ state }) => state)).toEqual(['CONNECTED']);
  },
);

it('leaves the event loop to others while many short handlers end without a wait', async () => {
  const registry = memory.center({ namespace: 'short', clock, sessionTimeoutMs: 30_000, requestTimeoutMs: 10_000 });
  jobs = new BlockingJobs(registry, { names: ['many-items'], items: 100, blockMs: 10 });
  let turns = 0;
  const beat = setInterval(() => void (turns += 1), 10);
  onTestFinished(() => clearInterval(beat));
  await jobs.start();
  const blocked = jobs.block(100);
  await jobs.next(({ kind }) => kind === 'started' || undefined);
  const before = turns;
  await blocked;

  // They take a second, with a turn each 50 ms.
  expect(turns - before).toBeGreaterThan(10);
});

/** Jobs that fire every second, one for each misfire policy in turn. */
interface JobsThatBlock {
  readonly names: readonly string[];
  readonly items: number;
  readonly blockMs: number;
}

class BlockingJobs {
  readonly runtime: ElasticJobRuntime;
  private readonly events: JobEvent[] = [];
  private runsToBlock = 0;

  constructor(
    registry: RegistryCenter,
    private readonly due: JobsThatBlock = { names: JOBS, items: 1, blockMs: BLOCK_MS },
  ) {
    this.runtime = new ElasticJobRuntime({ registry, clock, lateAfterMs: LATE_AFTER_MS, reshardDelayMs: 0 });
    this.runtime.events.on((event) => void this.events.push(event));
  }

  async start(): Promise<void> {
    const { items: shardingTotalCount, names } = this.due;
    for (const [index, name] of names.entries()) {
      const misfirePolicy = POLICIES[index % POLICIES.length];
      const options = { name, cron: '* * * * * ?', shardingTotalCount, misfirePolicy };
      const configuration = resolveJobOptions(options, { place: 'test' });
      const handler = () => this.handle();
      await this.runtime.registrar.register({ configuration, className: name, place: 'test', handler });
    }
    await this.runtime.start();
  }

  /** Makes the next `runs` runs block. Resolves when they have. */
  async block(runs: number): Promise<void> {
    this.runsToBlock = runs;
    await this.next(() => this.runsToBlock === 0 || undefined);
  }

  /** Resolves with the first answer to an event. */
  next<T>(find: (event: JobEvent) => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const stop = this.runtime.events.on((event) => {
        const found = find(event);
        if (found === undefined) return;
        stop();
        resolve(found);
      });
    });
  }

  /** Resolves with a fire time from now on for which every job has been begun in time. */
  roundInTime(): Promise<number> {
    const now = clock.wallNow();
    const begun = new Map<number, number>();
    return this.next((event) => {
      if (event.kind !== 'started' || event.trigger.source !== 'NORMAL_TRIGGER') return undefined;
      const { fireTime } = event.trigger;
      if (fireTime < now || event.latenessMs! > LATE_AFTER_MS / 2) return undefined;
      begun.set(fireTime, (begun.get(fireTime) ?? 0) + 1);
      return begun.get(fireTime) === JOBS.length ? fireTime : undefined;
    });
  }

  told<Kind extends JobEvent['kind']>(kind: Kind): Extract<JobEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind);
  }

  /** The fire times among these for which the job was begun, or that were reported as missed. */
  runOrMissed(job: string, due: readonly number[]): readonly number[] {
    const begun = this.told('begun').flatMap(({ trigger }) => (trigger.jobName === job ? trigger.fireTime : []));
    const missed = this.told('missed').filter(({ jobName }) => jobName === job);
    const given = missed.flatMap(({ count, since }) => range(count).map((second) => since + second * SECOND));
    return [...begun, ...given].filter((time) => due.includes(time)).toSorted(ascending);
  }

  private handle(): void {
    if (this.runsToBlock === 0) return;
    this.runsToBlock -= 1;
    // Blocks like a busy loop, without taking a core from the other threads of this machine.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, this.due.blockMs);
  }
}
