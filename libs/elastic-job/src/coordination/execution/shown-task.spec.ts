import { beforeEach, describe, expect, it } from 'vitest';
import type { RunningTask } from '../../domain/index.js';
import { MemoryRegistry, type RegistryCenter } from '../../registry/index.js';
import { VirtualClock } from '../../testing/index.js';
import { ShownTask } from './shown-task.js';

const PATH = '/settle/sharding/0/task';
const task = (state: string): RunningTask => ({
  id: 'u',
  backend: 'memory',
  run: 'r',
  launch: 1,
  source: 'NORMAL_TRIGGER',
  state,
  since: 1,
});

let clock: VirtualClock;
let server: MemoryRegistry;
let scheduler: RegistryCenter;
let operator: RegistryCenter;
beforeEach(async () => {
  clock = new VirtualClock();
  server = new MemoryRegistry(clock);
  scheduler = await client();
  operator = await client();
  await operator.ensurePath('/settle/sharding/0');
});

async function client(): Promise<RegistryCenter> {
  const center = server.center({ namespace: 'n', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 1_000 });
  await center.connect();
  return center;
}

async function shown(): Promise<unknown> {
  const node = await operator.read(PATH);
  return node && JSON.parse(node.data).state;
}

describe('a task in the registry', () => {
  it('is written once with its latest state while an earlier one is under way', async () => {
    const display = new ShownTask(scheduler, 'settle', 0);
    const before = scheduler.traffic.foreground;
    for (const state of ['STAGING', 'QUEUED', 'RUNNING']) display.show(task(state));
    await clock.advance(100);

    expect(await shown()).toBe('RUNNING');
    expect(scheduler.traffic.foreground - before).toBe(2);
  });

  it('is gone before the next request of its scheduler, also if it is still being written', async () => {
    const display = new ShownTask(scheduler, 'settle', 0);
    display.show(task('STAGING'));
    display.show(task('RUNNING'));
    display.hide();
    await scheduler.create('/settle/settled', '', 'PERSISTENT');

    expect(await shown()).toBeUndefined();
    display.show(task('RUNNING'));
    await clock.advance(100);
    expect(await shown()).toBeUndefined();
  });

  it('is removed once, and costs no request if it was never shown', async () => {
    const before = scheduler.traffic.foreground;
    new ShownTask(scheduler, 'settle', 0).hide();
    await clock.advance(100);
    expect(scheduler.traffic.foreground - before).toBe(0);

    const display = new ShownTask(scheduler, 'settle', 0);
    display.show(task('STAGING'));
    display.hide();
    display.hide();
    await clock.advance(100);
    expect(scheduler.traffic.foreground - before).toBe(2);
    expect(await shown()).toBeUndefined();
  });

  it('costs one request for each state of a series, also in the place of a leftover', async () => {
    await operator.create(PATH, '', 'PERSISTENT');
    const before = scheduler.traffic.foreground;
    const display = new ShownTask(scheduler, 'settle', 0);
    const states = ['STAGING', 'QUEUED', 'RUNNING'];
    const set = scheduler.set.bind(scheduler);
    display.show(task('LOST'));
    scheduler.set = (...request) => {
      showNext();
      return set(...request);
    };
    showNext();
    await clock.advance(100);

    expect(await shown()).toBe('RUNNING');
    expect(scheduler.traffic.foreground - before).toBe(2 + 3); // A create is refused, and the leftover is renewed.

    function showNext(): void {
      const state = states.shift();
      if (state !== undefined) display.show(task(state));
    }
  });

  it('is written anew, also in a series, after a state that was not', async () => {
    let requests = 0;
    const mend = server.failRequests(() => ((requests += 1) === 1 ? -127 : undefined));
    const display = new ShownTask(scheduler, 'settle', 0);
    display.show(task('STAGING'));
    display.show(task('RUNNING'));
    await clock.advance(100);
    mend();

    expect(await shown()).toBe('RUNNING');
  });

  it('goes with the session of its scheduler, and a successor replaces what is left', async () => {
    new ShownTask(scheduler, 'settle', 0).show(task('RUNNING'));
    await clock.advance(100);
    const successor = await client();
    new ShownTask(successor, 'settle', 0).show(task('UNREACHABLE'));
    await clock.advance(100);
    await scheduler.close();
    expect(await shown()).toBe('UNREACHABLE');

    await successor.close();

    expect(await shown()).toBeUndefined();
  });

  it('is written anew after a state that was not, and never harms its run', async () => {
    await operator.delete('/settle/sharding/0');
    const display = new ShownTask(scheduler, 'settle', 0);
    display.show(task('STAGING'));
    await clock.advance(100);
    await operator.ensurePath('/settle/sharding/0');

    display.show(task('RUNNING'));
    await clock.advance(100);

    expect(await shown()).toBe('RUNNING');
  });
});
