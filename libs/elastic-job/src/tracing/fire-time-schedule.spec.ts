import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectedFireTimes, scheduleSince } from './fire-time-schedule.js';
import type { JobHistoryEvent } from './job-history.js';

const MINUTE = 60_000;
const YEAR = 365 * 24 * 60 * MINUTE;

function change(at: number, detail: JobHistoryEvent['detail']): JobHistoryEvent {
  return {
    id: `${at}`,
    at,
    kind: 'configuration-changed',
    jobName: 'settle',
    items: undefined,
    fireTime: undefined,
    instance: 'i',
    detail,
  };
}

it.each(['cron', 'timeZone', 'clockChange', 'shardingTotalCount'])(
  "counts today's schedule from the last change of %s on, whatever has changed since",
  (field) => {
    const changes = [change(300, { fields: ['disabled'] }), change(200, { fields: ['description', field] })];

    expect(scheduleSince([...changes, change(100, { fields: ['cron'] })], 250)).toBe(200);
  },
);

it.each<[string, readonly JobHistoryEvent[]]>([
  ['no event tells a change', []],
  ['no event tells one of the schedule', [change(900, { fields: ['disabled'] })]],
  ['the node has changed after the last event', [change(300, { fields: ['cron'] })]],
])("counts it from the node's last change on, if %s", (_, changes) => {
  expect(scheduleSince(changes, 500)).toBe(500);
});

it.each([{ fields: ['disabled'], fieldsCut: 60 }, {}])('counts a change of which not all is told: %j', (detail) => {
  expect(scheduleSince([change(700, detail)], 500)).toBe(700);
});

it('has no fire times without a schedule, nor after its end', () => {
  expect(expectedFireTimes({ from: 0, to: 9, limit: 5 })).toEqual({ times: [], isCut: false });
  const once = (after: number) => (after < 3 ? 3 : undefined);
  expect(expectedFireTimes({ from: 0, to: 9, limit: 5, nextFireTime: once })).toEqual({ times: [3], isCut: false });
});

it('has a fire time at the begin of the window, and none at its end', () => {
  const nextFireTime = (after: number) => after + 1;

  expect(expectedFireTimes({ from: 3, to: 6, limit: 5, nextFireTime })).toEqual({ times: [3, 4, 5], isCut: false });
});

it('asks the schedule a few thousand times for the newest fire times of a year with one each second', () => {
  let asked = 0;
  const nextFireTime = (after: number) => {
    asked += 1;
    return (Math.floor(after / 1_000) + 1) * 1_000;
  };

  const { isCut, times } = expectedFireTimes({ from: 0, to: YEAR, limit: 200, nextFireTime });

  expect(times).toEqual(Array.from({ length: 200 }, (_, index) => YEAR - (200 - index) * 1_000));
  expect(isCut).toBe(true);
  expect(asked).toBeLessThan(30_000);
});

it('has the newest fire times of any schedule, however uneven it is', () => {
  const gap = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1_000, max: 1_000_000 }));
  const schedule = fc.array(gap, { maxLength: 200 }).map((gaps) => {
    let at = 0;
    return gaps.map((ms) => (at += ms));
  });
  const instant = fc.integer({ min: 0, max: 3_000_000 });
  fc.assert(
    fc.property(schedule, instant, instant, fc.integer({ min: 1, max: 20 }), (all, from, to, limit) => {
      const nextFireTime = (after: number) => all.find((time) => time > after);
      const within = all.filter((time) => time >= from && time < to);

      const found = expectedFireTimes({ from, to, limit, nextFireTime });

      expect(found).toEqual({ times: within.slice(-limit), isCut: within.length > limit });
    }),
    { seed: 55 },
  );
});
