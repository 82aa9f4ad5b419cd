import { expect, it } from 'vitest';
import { processFaults } from './check-processes.js';
import type { ProcessLife } from './process-watch.js';
import type { TaskLine } from './task-line.js';

const LINE: TaskLine = {
  step: 'begin',
  run: 'a',
  job: 'j',
  item: 0,
  fireTime: 0,
  source: 'NORMAL_TRIGGER',
  token: '1',
  tokenEpoch: 0,
  worker: 'node-1',
  begunAt: 0,
  at: 100,
  launch: 1,
  pid: 1,
};

/** A process that was seen until a time. @param begin of the first process of its task */
function life(seenAt: number, begin: Partial<TaskLine> = {}, pid = begin.pid ?? LINE.pid): ProcessLife {
  return { begin: { ...LINE, ...begin }, pid, seenAt };
}

const NEXT = { run: 'b', worker: 'node-2', at: 500, pid: 2 };

it('finds nothing wrong with a task that begins after all processes of the former one are gone', () => {
  expect(processFaults([life(480), life(499, {}, 11), life(900, NEXT)])).toEqual([]);
});

it.each([
  ['task', life(530)],
  ['process that it has started', life(530, {}, 11)],
])('calls two tasks of an item overlapping if the former %s was seen after the begin of the next', (_, former) => {
  const text = `process 2 of node-2 began 30 ms before process ${former.pid} of node-1 was gone`;
  expect(processFaults([former, life(900, NEXT)])).toEqual([{ rule: 'overlap', job: 'j', item: 0, at: 500, text }]);
});

it('calls tasks of other items, and the processes of one task, no overlap', () => {
  expect(processFaults([life(900), life(900, {}, 11), life(900, { ...NEXT, item: 1 })])).toEqual([]);
});
