import { expect, it } from 'vitest';
import type { Trigger } from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import { LateRuns } from './process-context.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

function setUp() {
  const clock = new VirtualClock();
  const events = new JobEvents();
  const told: JobEvent[] = [];
  events.on((event) => void told.push(event));
  const late = new LateRuns(clock, events, 5 * SECOND);
  const note = (jobName: string, latenessMs: number, more: Partial<Trigger> = {}) =>
    late.note({ jobName, fireTime: 0, origin: 'schedule', source: 'NORMAL_TRIGGER', ...more }, latenessMs);
  return { clock, late, note, told };
}

it('reports a run that begins later than the threshold, and none that does not', () => {
  const { note, told } = setUp();
  note('in-time', 5 * SECOND);
  note('late', 5 * SECOND + 1, { fireTime: 7 });
  expect(told).toEqual([
    {
      kind: 'late',
      trigger: { jobName: 'late', fireTime: 7, origin: 'schedule', source: 'NORMAL_TRIGGER' },
      latenessMs: 5_001,
      lateAfterMs: 5_000,
      count: 1,
    },
  ]);
});

it('does not report the failover of an item as late', () => {
  const { note, told } = setUp();
  note('a', MINUTE, { source: 'FAILOVER' });
  expect(told).toEqual([]);
});

it('reports a job that is late each second once a minute, with the number and the worst of its runs', async () => {
  const { clock, note, told } = setUp();
  for (let second = 0; second < 121; second += 1) {
    note('a', 6 * SECOND + (second === 30 ? SECOND : second), { fireTime: second });
    await clock.advance(SECOND);
  }
  expect(told).toMatchObject([
    { count: 1, latenessMs: 6_000, trigger: { fireTime: 0 } },
    { count: 59, latenessMs: 7_000, trigger: { fireTime: 30 } },
    { count: 60, latenessMs: 6_119, trigger: { fireTime: 119 } },
  ]);
});

it('reports each job for itself', () => {
  const { note, told } = setUp();
  note('a', MINUTE);
  note('b', MINUTE);
  expect(told).toMatchObject([{ trigger: { jobName: 'a' } }, { trigger: { jobName: 'b' } }]);
});

it('reports late runs that are held back at its end, and leaves no timer', () => {
  const { clock, late, note, told } = setUp();
  note('a', MINUTE);
  note('a', 2 * MINUTE);
  late.end();
  expect(told).toMatchObject([{ count: 1 }, { count: 1, latenessMs: 2 * MINUTE }]);
  expect(clock.pendingTimers).toBe(0);
});
