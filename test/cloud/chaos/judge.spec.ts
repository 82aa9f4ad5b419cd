import { expect, it } from 'vitest';
import { judge, type Line } from './judge.js';

const JOBS = [{ name: 'orders', cron: '0/4 * * * * ?', items: 1 }];
const SPAN = { from: 4_000, until: 8_000, everyMs: 4_000 };

function task(fireTime: number, begin: number, end: number | undefined, given: Partial<Line> = {}): readonly Line[] {
  const line = { job: 'orders', item: 0, fireTime, run: `${begin}`, launch: 1, scheduler: 'A1', pid: begin, ...given };
  const begun: Line = { ...line, kind: 'begin', at: begin };
  return end === undefined ? [begun] : [begun, { ...line, kind: 'end', at: end }];
}

function found(lines: readonly Line[], killed: ReadonlyMap<string, number> = new Map()): readonly string[] {
  return judge(lines, JOBS, killed, SPAN).violations.map((text) => text.split(':', 1)[0]!);
}

it('finds nothing where each target was run once, one after the other', () => {
  expect(judge([...task(4_000, 4_010, 5_000), ...task(8_000, 8_010, 9_000)], JOBS, new Map(), SPAN)).toEqual({
    targets: 2,
    tasks: 2,
    repeated: 0,
    repeatedAfterEnd: 0,
    violations: [],
  });
});

it('finds a target that no task has ended', () => {
  expect(found([...task(4_000, 4_010, 5_000), ...task(8_000, 8_010, undefined)])).toEqual(['lost']);
});

it('excuses a repetition after the death of the scheduler, and no other one', () => {
  const second = task(8_000, 8_010, 9_000);
  const repeated = [...task(4_000, 4_010, undefined), ...task(4_000, 7_000, 7_900, { scheduler: 'B1' })];
  expect(found([...repeated, ...second], new Map([['A1', 5_000]]))).toEqual([]);
  const ended = [...task(4_000, 4_010, 4_500), ...task(4_000, 7_000, 7_900, { scheduler: 'B1' })];
  expect(found([...ended, ...second], new Map([['A1', 4_600]]))).toEqual([]);
  expect(found([...ended, ...second])).toEqual(['doubled']);
  expect(found([...ended, ...second], new Map([['A1', 60_000]]))).toEqual(['doubled']);
});

it('finds two tasks of an item at once, also where the first one has died with its scheduler', () => {
  const second = task(8_000, 8_010, 9_000);
  expect(found([...task(4_000, 4_010, 8_020), ...second])).toEqual(['overlap']);
  const early = [...task(4_000, 4_010, undefined), ...task(4_000, 5_900, 6_000, { scheduler: 'B1' })];
  expect(found([...early, ...second], new Map([['A1', 5_000]]))).toEqual(['overlap']);
});
