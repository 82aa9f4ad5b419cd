import { beforeEach, describe, expect, it } from 'vitest';
import {
  isTaskEnd,
  type TaskHandle,
  type TaskLink,
  type TaskOrder,
  type TaskState,
  type TaskTarget,
} from '../../cloud/index.js';
import { InstanceClock } from '../instance-clock.js';
import { VirtualClock } from '../virtual-clock.js';
import { MemoryTaskCluster } from './memory-task-cluster.js';
import type { MemoryTasks } from './memory-tasks.js';

const KEY = { cluster: 'orders', jobName: 'settle-orders', item: 0 };
const TARGET: TaskTarget = { fireTime: 1_000, origin: 'schedule', launch: 1 };
const LINK: TaskLink = {
  heldForMs: () => 9_000,
  lossGraceMs: 1_000,
  isLost: () => false,
  saveCheckpoint: () => Promise.resolve(),
};

let clock: VirtualClock;
let tasks: MemoryTaskCluster;
let a: MemoryTasks;
let b: MemoryTasks;

beforeEach(async () => {
  clock = new VirtualClock();
  tasks = new MemoryTaskCluster({ clock });
  [a, b] = [tasks.backend('a'), tasks.backend('b')];
  for (const backend of [a, b]) await backend.start({ clock, cluster: 'orders', emit: () => {} });
  tasks.script('settle-orders', ({ clock: own, signal }) => own.sleep(5_000, signal));
});

function order(given: Partial<TaskOrder> = {}): TaskOrder {
  return {
    key: KEY,
    target: TARGET,
    run: 'run-1',
    token: 1n,
    template: {},
    resources: { cpu: 1, memoryMb: 64 },
    envelope: () => '{}',
    graceMs: 1_000,
    ...given,
  };
}

async function claim(backend: MemoryTasks, given?: Partial<TaskOrder>): Promise<TaskHandle> {
  const claimed = await clock.advanceUntil(backend.claim(order(given)));
  if (!('handle' in claimed)) throw new Error(claimed.kind);
  return claimed.handle;
}

async function run(backend: MemoryTasks, given?: Partial<TaskOrder>): Promise<TaskHandle> {
  const handle = await claim(backend, given);
  await clock.advanceUntil(backend.open(handle, LINK));
  return handle;
}

/** The states that a watch yields, as they come. */
function watched(backend: MemoryTasks, handle: TaskHandle): { readonly states: TaskState[] } {
  const states: TaskState[] = [];
  const follow = async (): Promise<void> => {
    for await (const state of backend.watch(handle, new AbortController().signal)) states.push(state);
  };
  void follow();
  return { states };
}

const names = ({ states }: { readonly states: readonly TaskState[] }): readonly string[] =>
  states.map(({ name }) => name);

describe('a task in memory', () => {
  it('is FINISHED after its function has returned, with the time it took', async () => {
    const watch = watched(a, await run(a));
    await clock.advance(4_900);
    expect(names(watch)).toEqual(['RUNNING']);
    await clock.advance(200);
    expect(watch.states.at(-1)).toEqual({ name: 'FINISHED', report: { v: 1, outcome: 'succeeded', ms: 5_000 } });
    expect(clock.pendingTimers).toBe(0);
    expect(tasks.launches).toMatchObject([{ key: KEY, target: TARGET, run: 'run-1', token: 1n }]);
  });

  it('goes through scripted states for their time, and ends if it is cancelled', async () => {
    tasks.script('settle-orders', [
      { state: { name: 'QUEUED' }, ms: 1_000 },
      { state: { name: 'RUNNING' }, ms: 1_000 },
      { state: { name: 'FAILED', detail: 'exit code 3' } },
    ]);
    const watch = watched(a, await run(a));
    await clock.advance(1_500);
    expect(names(watch)).toEqual(['QUEUED', 'RUNNING']);
    await clock.advance(1_000);
    expect(names(watch)).toEqual(['QUEUED', 'RUNNING', 'FAILED']);

    const key = { ...KEY, item: 1 };
    const cancelled = await run(a, { key });
    const end = watched(a, cancelled);
    await clock.advanceUntil(a.cancel(cancelled, 1_000));
    await clock.advance(0);
    expect(end.states.at(-1)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('saves its checkpoint through the link of the latest scheduler', async () => {
    const saved: unknown[] = [];
    tasks.script('settle-orders', async ({ clock: own, saveCheckpoint }) => {
      await own.sleep(1_000);
      await saveCheckpoint({ at: 7 });
    });
    await run(a);
    const adopted = await claim(b, { run: 'run-2', token: 2n });
    const link = { ...LINK, saveCheckpoint: async (value: unknown) => void saved.push(value) };
    expect(await clock.advanceUntil(b.open(adopted, link))).toBe('opened');
    await clock.advance(2_000);
    expect(saved).toEqual([{ at: 7 }]);
    expect(tasks.launches).toHaveLength(1);
  });

  it('reports an end that came while it could not be reached, once it can be', async () => {
    const watch = watched(a, await run(a));
    await clock.advance(100);
    tasks.unreachable(KEY);
    await clock.advance(10_000);
    expect(names(watch)).toEqual(['RUNNING', 'UNREACHABLE']);
    expect(tasks.isAlive(KEY)).toBe(false);
    tasks.reachable(KEY);
    await clock.advance(0);
    expect(names(watch)).toEqual(['RUNNING', 'UNREACHABLE', 'FINISHED']);
  });

  it('hears a cancel that came while it could not be reached once it can be', async () => {
    tasks.script('settle-orders', ({ clock: own, signal }) => own.sleep(60_000, signal));
    const handle = await run(a);
    const watch = watched(a, handle);
    tasks.unreachable(KEY);
    await clock.advanceUntil(a.cancel(handle, 1_000));
    await clock.advance(10_000);
    expect([names(watch).at(-1), tasks.isAlive(KEY)]).toEqual(['UNREACHABLE', true]);
    tasks.reachable(KEY);
    await clock.advance(0);
    expect(watch.states.at(-1)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
  });

  it('lives on if it is released while it cannot be reached, and another one in its place is a violation', async () => {
    const handle = await run(a);
    tasks.unreachable(KEY);
    await clock.advanceUntil(a.release(handle));
    expect(tasks.isAlive(KEY)).toBe(true);
    await run(b, { run: 'run-2', token: 2n, target: { ...TARGET, launch: 2 } });
    expect(tasks.violations).toEqual(['Item 0 of job "settle-orders": two tasks do something at once.']);
  });

  it('ends unseen while it cannot be reached', async () => {
    const watch = watched(a, await run(a));
    tasks.unreachable(KEY);
    tasks.endUnseen(KEY, { name: 'GONE' });
    await clock.advance(0);
    expect([names(watch).at(-1), tasks.isAlive(KEY)]).toEqual(['UNREACHABLE', false]);
    tasks.reachable(KEY);
    await clock.advance(0);
    expect(names(watch).at(-1)).toBe('GONE');
  });

  it('has ended if an operator says that it is gone while it cannot be reached', async () => {
    const watch = watched(a, await run(a));
    tasks.unreachable(KEY);
    tasks.end(KEY, { name: 'GONE_BY_OPERATOR' });
    await clock.advance(0);
    expect(names(watch).at(-1)).toBe('GONE_BY_OPERATOR');
    expect(tasks.isAlive(KEY)).toBe(false);
  });
});

describe('a scheduler at a named request', () => {
  it('is too late to open a task that another scheduler adopts meanwhile', async () => {
    const held = tasks.holdNext('open', { scheduler: 'a', key: KEY });
    const handle = await claim(a);
    const opening = a.open(handle, LINK);
    await clock.advanceUntil(held.reached);
    await run(b, { run: 'run-2', token: 2n });
    held.goOn();
    expect(await clock.advanceUntil(opening)).toBe('taken');
    expect(tasks.launches).toMatchObject([{ token: 2n }]);
    tasks.assertSound();
  });

  it('finds its own task if it repeats a claim whose reply was lost', async () => {
    const held = tasks.holdNext('claim', { at: 'after' });
    const claiming = a.claim(order());
    await clock.advanceUntil(held.reached);
    held.fail();
    await expect(clock.advanceUntil(claiming)).rejects.toMatchObject({
      code: 'TASK_BACKEND',
      request: 'claim',
      key: KEY,
    });
    expect(await clock.advanceUntil(a.claim(order()))).toMatchObject({ kind: 'launched' });
  });

  it('causes nothing by a request that fails before its effect', async () => {
    const handle = await claim(a);
    const held = tasks.holdNext('open');
    held.fail();
    await expect(clock.advanceUntil(a.open(handle, LINK))).rejects.toMatchObject({ request: 'open' });
    expect(tasks.launches).toEqual([]);
  });

  it('leaves its task running after it dies, and another one adopts it', async () => {
    await run(a);
    a.kill();
    const claimed = await clock.advanceUntil(b.claim(order({ run: 'run-2', token: 2n })));
    expect(claimed).toMatchObject({ kind: 'adopted', handle: { isGated: false } });
    expect(tasks.isAlive(KEY)).toBe(true);
  });

  it('is too late with its claim after it stood still', async () => {
    const own = new InstanceClock(clock);
    const slow = tasks.backend('slow');
    await slow.start({ clock: own, cluster: 'orders', emit: () => {} });
    own.pause();
    const claiming = slow.claim(order());
    await clock.advance(60_000);
    expect(tasks.launches).toEqual([]);
    expect((await clock.advanceUntil(b.claim(order({ run: 'run-2', token: 2n })))).kind).toBe('launched');
    own.resume();
    expect(await clock.advanceUntil(claiming)).toEqual({ kind: 'taken' });
  });

  it('gets the state of an ended task late if requests take time', async () => {
    tasks = new MemoryTaskCluster({
      clock,
      delayMs: (what) => (what === 'state' ? 700 : 100),
      script: ({ clock: own }) => own.sleep(1_000),
    });
    const late = tasks.backend();
    await late.start({ clock, cluster: 'orders', emit: () => {} });
    const watch = watched(late, await run(late));
    await clock.advance(1_000);
    expect(names(watch)).toEqual(['RUNNING']);
    expect(tasks.isAlive(KEY)).toBe(false);
    await clock.advance(1_000);
    expect(watch.states.some(isTaskEnd)).toBe(true);
  });
});

describe('what must never be', () => {
  it('is reported if a task is opened in the grace of one that was removed by force', async () => {
    tasks.script('settle-orders', () => new Promise(() => {}));
    const watch = watched(a, await run(a));
    tasks.remove(KEY);
    await clock.advance(0);
    expect(names(watch).at(-1)).toBe('UNKNOWN');
    await run(b, { run: 'run-2', token: 2n, target: { ...TARGET, launch: 2 } });
    expect(tasks.violations).toEqual(['Item 0 of job "settle-orders": two tasks do something at once.']);
    expect(() => tasks.assertSound()).toThrow('two tasks');
  });

  it('is not reported if a task is opened after the grace of one that was removed by force', async () => {
    tasks.script('settle-orders', () => new Promise(() => {}));
    await run(a);
    tasks.remove(KEY);
    await clock.advance(1_000);
    await run(b, { run: 'run-2', token: 2n, target: { ...TARGET, launch: 2 } });
    expect(() => tasks.assertSound()).not.toThrow();
  });

  it('is reported if a released launch begins once more', async () => {
    const handle = await run(a);
    await clock.advance(6_000);
    await clock.advanceUntil(a.release(handle));
    await run(b, { run: 'run-2', token: 2n });
    expect(tasks.violations).toEqual(['Item 0 of job "settle-orders": launch 1 of schedule at 1000 began twice.']);
  });
});
