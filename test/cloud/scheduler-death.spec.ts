import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostMonotonicNow, SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { killAll } from '../../libs/elastic-job/src/cloud/process/process-table.js';
import { processesWith } from '../support/faults/found-processes.js';
import { bundleTaskSupervisor } from '@test/support/bundle/bundle.js';
import { OpenHandles } from '@test/support/faults/index.js';
import { BUSY_NODE, DETACHED_CHILD, GRANDCHILD, LISTENER, PYTHON } from './support/programs.js';
import { type SchedulerOrder, startScheduler } from './support/scheduler.js';

const MARK = 'TASK_MARK';
const clock = new SystemClock();
const open = new OpenHandles();
let supervisor: Awaited<ReturnType<typeof bundleTaskSupervisor>>;
let directory: string;
let mark: string;

beforeAll(async () => {
  supervisor = await bundleTaskSupervisor();
});
afterAll(() => supervisor.remove());
beforeEach(async () => {
  mark = randomUUID();
  directory = await mkdtemp(join(tmpdir(), 'tasks-'));
});
afterEach(async () => {
  await open.stopAll();
  killAll(processesWith(MARK, mark));
  await rm(directory, { recursive: true });
});

describe('a scheduler that is killed', () => {
  it.each([
    ['a busy loop in Node', BUSY_NODE, 1],
    ['Python that ignores SIGTERM', PYTHON, 1],
    ['a shell with a child and a grandchild', GRANDCHILD, 3],
    ['a child in a session of its own', DETACHED_CHILD, 2],
  ])('leaves nothing of its task, %s, after a second', async (name, program, count) => {
    const scheduler = await schedulerOf({ programs: [program] });
    expect(processesWith(MARK, mark).length).toBeGreaterThanOrEqual(count);

    await scheduler.kill();
    const ms = await untilNothingIsLeft(1_000);
    console.info(`${name}: gone after ${Math.round(ms)} ms`);
  });

  it('leaves nothing of twelve tasks one second after its SIGKILL', async () => {
    const programs = Array.from({ length: 3 }, () => [BUSY_NODE, PYTHON, GRANDCHILD, DETACHED_CHILD]).flat();
    const scheduler = await schedulerOf({ programs });
    await scheduler.kill();
    const ms = await untilNothingIsLeft(1_000);
    expect(ms).toBeLessThan(1_000);
    console.info(`twelve tasks: gone after ${Math.round(ms)} ms`);
  });
});

describe('a scheduler that stands still', () => {
  it('has its tasks told to end and killed when its lease has passed', async () => {
    const heard = join(directory, 'heard');
    const order = { programs: [LISTENER, BUSY_NODE], env: { HEARD: heard }, heldForMs: 1_500, graceMs: 300 };
    const scheduler = await schedulerOf(order);
    scheduler.pause();
    await untilNothingIsLeft(1_500 + 300 + 1_000);

    const lines: unknown[] = (await readFile(heard, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({
      heldForMs: expect.toSatisfy((ms) => ms > 500 && ms <= 1_500),
      at: expect.toSatisfy((at) => at < hostMonotonicNow()),
    });
    expect(lines.at(-1)).toEqual({ lost: 'the scheduler was silent for longer than its lease' });
    scheduler.resume();
    const ends = [await scheduler.receive(isEnd), await scheduler.receive(isEnd)];
    expect(ends).toMatchObject([{ state: { name: 'LOST' } }, { state: { name: 'LOST' } }]);
  });
});

it('runs tasks in other directories after its own was deleted', async () => {
  const goneDirectory = await mkdtemp(join(tmpdir(), 'gone-'));
  const scheduler = await schedulerOf({ programs: [PYTHON], goneDirectory, workingDirectory: '/' });
  expect(processesWith(MARK, mark)).not.toEqual([]);
  await scheduler.kill();
  await untilNothingIsLeft(1_000);
});

it('keeps a deaf task for its lease if it stands still, and no longer than others leave the item', async () => {
  const order = { programs: [PYTHON], heldForMs: 2_000, lossGraceMs: 500, graceMs: 60_000 };
  const scheduler = await schedulerOf(order);
  scheduler.pause();
  // A quarter of the lease may have passed since the last grant.
  await clock.sleep(1_200);
  expect(processesWith(MARK, mark)).not.toEqual([]);
  await untilNothingIsLeft(2_000 + 500 - 1_200 + 1_000);
});

it.each([
  ['a busy loop in Node', BUSY_NODE],
  ['Python that ignores SIGTERM', PYTHON],
])(
  'leaves nothing of its task, %s, after a second if it is killed together with its supervisor',
  async (_, program) => {
    const scheduler = await schedulerOf({ programs: [program] });
    const children = readFileSync(`/proc/${scheduler.pid}/task/${scheduler.pid}/children`, 'utf8');
    killAll([...children.trim().split(' ').map(Number), scheduler.pid]);
    expect(await untilNothingIsLeft(1_000)).toBeLessThanOrEqual(1_000);
  },
);

async function schedulerOf(given: Partial<SchedulerOrder>): ReturnType<typeof startScheduler> {
  const { env = {} } = given;
  const order = { supervisor: supervisor.url.href, programs: [], heldForMs: 60_000, graceMs: 10_000, ...given };
  return open.add(startScheduler({ ...order, env: { ...env, [MARK]: mark } }));
}

/** @returns the time that it took, in milliseconds */
async function untilNothingIsLeft(limitMs: number): Promise<number> {
  const begunAt = clock.monotonicNow();
  for (;;) {
    const left = processesWith(MARK, mark);
    const ms = clock.monotonicNow() - begunAt;
    if (left.length === 0) return ms;
    if (ms > limitMs) throw new Error(`${left.length} processes are left after ${ms} ms.`);
    await clock.sleep(5);
  }
}

function isEnd(message: unknown): message is { readonly item: number; readonly state: unknown } {
  return typeof message === 'object' && message !== null && 'state' in message;
}
