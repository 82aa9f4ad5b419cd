import { beforeEach, describe, expect, it } from 'vitest';
import { type BegunItem, CancelledError, HandedOverError, type ShardingContext } from '../domain/index.js';
import { MemoryTaskCluster, VirtualClock } from '../testing/index.js';
import type { JobEvent } from '../tracing/index.js';
import { TaskRun } from './task-run.js';
import type { TaskScheduling } from './task-scheduling.js';

const JOB = 'settle-orders';
const TARGET = { fireTime: 1_000, origin: 'schedule' } as const;

let clock: VirtualClock;
let tasks: MemoryTaskCluster;
let ending: AbortController;
let told: JobEvent[];
beforeEach(() => {
  clock = new VirtualClock();
  tasks = new MemoryTaskCluster({ clock });
  tasks.script(JOB, ({ clock: own, signal }) => own.sleep(10_000, signal));
  ending = new AbortController();
  told = [];
});

async function runOf(isLatest: () => Promise<boolean>): Promise<TaskRun> {
  const backend = tasks.backend();
  await backend.start({ clock, cluster: 'c', emit: () => {} });
  const settings = { template: {}, resources: { cpu: 1, memoryMb: 64 }, graceMs: 1_000 };
  const scheduling: TaskScheduling = {
    backend,
    cluster: 'c',
    clock,
    settingsOf: () => settings,
    recordsOf: () => Promise.resolve([]),
    emit: (event) => void told.push(event),
  };
  const lastSignal = () => new AbortController().signal;
  const held = { heldForMs: () => 10_000, lossGraceMs: 1_000, isLost: () => false };
  const begun: BegunItem = {
    run: 'r',
    target: TARGET,
    begunAt: 1_000,
    launch: 1,
    ...held,
    isLatest,
    lastSignal,
    onAdopted: () => {},
  };
  const context: ShardingContext = Object.assign(Object.create(null), {
    jobName: JOB,
    taskId: 'task',
    jobParameter: '',
    shardingTotalCount: 1,
    shardingItem: 0,
    fireTime: new Date(TARGET.fireTime),
    source: 'NORMAL_TRIGGER',
    attempt: 1,
    signal: ending.signal,
    tokenEpoch: 0,
    props: {},
    checkpoint: { load: () => Promise.resolve(undefined) },
  });
  return new TaskRun(scheduling, context, begun, 7n);
}

/** A question to the registry that gets no answer. */
function unanswered(): Promise<boolean> {
  return new Promise((_, reject) => ending.signal.addEventListener('abort', () => reject(new Error('unanswered'))));
}

describe('a task that was launched and is not open yet', () => {
  it('ends the task without a begin when an operator cancels a run that is not proved yet', async () => {
    const run = await runOf(unanswered);
    const followed = run.follow().catch((error: unknown) => error);
    await clock.advance(100);

    ending.abort(new CancelledError(JOB, 0));
    await clock.advance(5_000);

    expect(await followed).toBeInstanceOf(CancelledError);
    expect(run.handle).toBeDefined();
    expect(told).toContainEqual(expect.objectContaining({ kind: 'task-state', state: 'KILLED' }));
    expect(tasks.launches).toEqual([]);
  });

  it('asks a backend that does not answer again, after pauses that grow and differ between items', async () => {
    const times: number[][] = [[], []];
    const failAll = async (scheduler: string, own: number[]): Promise<void> => {
      for (;;) {
        const held = tasks.holdNext('claim', { scheduler });
        await held.reached;
        own.push(clock.monotonicNow());
        held.fail();
      }
    };
    for (const [index, own] of times.entries()) {
      const run = await runOf(() => Promise.resolve(true));
      void failAll(`s${index + 1}`, own);
      void run.follow().catch(() => {});
    }
    await clock.advance(60_000);
    ending.abort(new HandedOverError(JOB, 'moved'));
    await clock.advance(0);

    const pauses = times.map((own) => own.slice(1).map((at, index) => at - own[index]!));
    expect(pauses[0]).not.toEqual(pauses[1]);
    for (const each of pauses) {
      expect(each.length).toBeLessThan(12);
      expect(each[0]).toBeLessThanOrEqual(1_000);
      expect(Math.max(...each)).toBeLessThanOrEqual(15_000);
    }
  });

  it('leaves the task to a successor when the item is handed over before the run is proved', async () => {
    const run = await runOf(unanswered);
    const followed = run.follow().catch((error: unknown) => error);
    await clock.advance(100);

    ending.abort(new HandedOverError(JOB, 'moved'));
    await clock.advance(5_000);

    expect(await followed).toBeInstanceOf(HandedOverError);
    expect(told).toEqual([]);
  });
});
