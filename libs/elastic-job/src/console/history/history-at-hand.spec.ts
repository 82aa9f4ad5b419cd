import { eventOf, FakeJobHistory, missedOf, TWO } from '@test/support/unit/job-history.js';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import type { JobPulse } from '../../tracing/index.js';
import { UNKNOWN_PULSE } from '../contract/index.js';
import { HistoryAtHand } from './history-at-hand.js';
import { HistoryGate } from './history-gate.js';

const HOUR_MS = 3_600_000;

function setUp(sinks?: readonly object[]) {
  const clock = new VirtualClock({ wall: TWO });
  const history = new FakeJobHistory();
  const shown = new Set<string>();
  const changed: (string | undefined)[] = [];
  const gate = new HistoryGate({ clock, sinks: sinks ?? [history], log: { error: () => {} } });
  const atHand = new HistoryAtHand({ clock, gate, shown: () => shown, onChange: (job) => void changed.push(job) });
  return { atHand, changed, clock, history, shown };
}

function beat(fireTimes: readonly (readonly [succeeded: number, failed?: number, running?: number])[]): JobPulse {
  return {
    jobName: 'settle',
    fireTimes: fireTimes.map(([succeeded, failed = 0, running = 0], n) => {
      return { fireTime: TWO + n * HOUR_MS, succeeded, failed, running };
    }),
    lastGoodAt: TWO,
    failedSince: undefined,
    p95DurationMs: 1_500,
  };
}

describe('the history of what is shown', () => {
  it('is known of the jobs that are shown, by one question, and again after ten seconds', async () => {
    const { atHand, changed, clock, history, shown } = setUp();
    history.beats = [beat([[3]])];
    shown.add('settle').add('ledger');
    await atHand.ready();
    expect(atHand.pulseOf('settle')).toEqual({
      lastFireTimes: ['done'],
      failedSince: null,
      lastGoodAt: '2030-01-01T02:00:00.000Z',
      p95DurationMs: 1_500,
    });
    expect(atHand.pulseOf('ledger')).toMatchObject({ lastFireTimes: [] });
    expect(atHand.pulseOf('other')).toEqual(UNKNOWN_PULSE);
    expect(history.queriesOf('pulses')).toEqual([{ jobNames: ['settle', 'ledger'], fireTimes: 10 }]);
    expect(changed).toEqual(['settle', 'ledger']);

    await clock.advance(8_000);
    expect(history.queriesOf('pulses')).toHaveLength(1);
    history.beats = [beat([[3], [2, 1]])];
    await clock.advance(2_000);
    expect(atHand.pulseOf('settle')).toMatchObject({ lastFireTimes: ['done', 'part'] });
    expect(changed).toEqual(['settle', 'ledger', 'settle']);
  });

  it('asks nothing once nothing is shown, and forgets it', async () => {
    const { atHand, clock, history, shown } = setUp();
    shown.add('settle');
    await atHand.ready();
    shown.clear();
    await clock.advance(HOUR_MS);
    expect(history.queriesOf('pulses')).toHaveLength(1);
    expect(atHand.pulseOf('settle')).toEqual(UNKNOWN_PULSE);
  });

  it.each([
    ['in which all items have succeeded', [beat([[3], [3]])], [], ['done', 'done']],
    ['of which one item has failed', [beat([[2, 1]])], [], ['part']],
    ['of which all items have failed', [beat([[0, 3]])], [], ['failed']],
    ['that was begun and not done', [beat([[0]])], [], ['failed']],
    ['that runs', [beat([[3], [1, 0, 2]])], [], ['done', 'running']],
    ['that was missed', [beat([[3]])], [missedOf({ fireTime: TWO - HOUR_MS })], ['missed', 'done']],
    ['of which one item was missed', [beat([[3], [2]])], [missedOf({ fireTime: TWO + HOUR_MS })], ['done', 'part']],
    ['that was run again', [beat([[3], [3]])], [missedOf({ fireTime: TWO + HOUR_MS })], ['done', 'done']],
    ['of a job that has never run', [], [missedOf({ count: 2 })], ['missed', 'missed']],
    [
      'after a long outage',
      [beat([[3]])],
      [missedOf({ fireTime: TWO - 1, count: 1_000 })],
      [...Array.from({ length: 9 }, () => 'missed'), 'done'],
    ],
  ])('tells a fire time %s', async (_, beats, missed, expected) => {
    const { atHand, history, shown } = setUp();
    history.beats = beats;
    history.notBegun = missed;
    shown.add('settle');
    await atHand.ready();
    expect(atHand.pulseOf('settle').lastFireTimes).toEqual(expected);
  });

  it('keeps no list waiting for more than 150 ms, and none at all while the database is away', async () => {
    const { atHand, clock, history, shown } = setUp();
    history.until = new Promise(() => {});
    shown.add('settle');
    let isReady = false;
    void atHand.ready().then(() => (isReady = true));
    await clock.advance(149);
    expect(isReady).toBe(false);
    await clock.advance(1);
    expect(isReady).toBe(true);

    await clock.advance(5_000);
    await atHand.ready();
    expect(atHand.pulseOf('settle')).toEqual(UNKNOWN_PULSE);
  });

  it('knows nothing of a job while the database is away, and heals', async () => {
    const { atHand, changed, clock, history, shown } = setUp();
    history.beats = [beat([[3]])];
    shown.add('settle');
    await atHand.ready();
    history.fault = new Error('the database is away');
    await clock.advance(10_000);
    expect(atHand.pulseOf('settle')).toEqual(UNKNOWN_PULSE);
    history.fault = undefined;
    await clock.advance(10_000);
    expect(atHand.pulseOf('settle')).toMatchObject({ lastFireTimes: ['done'] });
    expect(changed).toEqual(['settle', 'settle', 'settle']);
  });

  it('asks nothing of an application without a history', async () => {
    const { atHand, clock, shown } = setUp([]);
    shown.add('settle');
    expect(atHand.overviewOf('')).toBeNull();
    await atHand.ready();
    await clock.advance(60_000);
    expect(atHand.pulseOf('settle')).toEqual(UNKNOWN_PULSE);
    expect(atHand.overviewOf('')).toBeNull();
  });
});

describe('the history in an overview', () => {
  it('has the runs of 12 hours, what was missed and dropped, and alarms by kind and job', async () => {
    const { atHand, changed, history } = setUp();
    history.notBegun = [missedOf({ count: 3, at: TWO - 60_000 }), missedOf({ jobName: 'ledger', at: TWO - 30_000 })];
    history.told = [
      eventOf({ kind: 'hung', items: [2], at: TWO - 10_000 }),
      eventOf({ kind: 'late', detail: { count: 7 }, at: TWO - 20_000 }),
      eventOf({ kind: 'late', detail: { count: 2 }, at: TWO - 40_000 }),
      eventOf({ kind: 'clock', jobName: undefined, detail: { state: 'trusted' } }),
      eventOf({ kind: 'history-dropped', jobName: undefined, detail: { count: 40 }, at: TWO - 50_000 }),
    ];
    history.buckets = [
      { from: TWO, to: TWO + 900_000, succeeded: 5, failed: 1, aborted: 0, duration: undefined, lateness: undefined },
    ];
    expect(atHand.overviewOf('')).toBeNull();
    await atHand.ready();
    expect(atHand.overviewOf('')).toEqual({
      asOf: '2030-01-01T02:00:00.000Z',
      stale: false,
      runs: [{ from: '2030-01-01T02:00:00.000Z', to: '2030-01-01T02:15:00.000Z', succeeded: 5, failed: 1, aborted: 0 }],
      missed: 4,
      dropped: 40,
      alarms: [
        { kind: 'hung', job: 'settle', items: [2], count: 1, at: '2030-01-01T01:59:50.000Z' },
        { kind: 'late', job: 'settle', items: null, count: 9, at: '2030-01-01T01:59:40.000Z' },
        { kind: 'missed', job: 'ledger', items: [0], count: 1, at: '2030-01-01T01:59:30.000Z' },
        { kind: 'history-dropped', job: null, items: null, count: 40, at: '2030-01-01T01:59:10.000Z' },
        { kind: 'missed', job: 'settle', items: [0], count: 3, at: '2030-01-01T01:59:00.000Z' },
      ],
    });
    expect(changed).toEqual([undefined]);
    expect(history.queriesOf('statistics')).toMatchObject([{ buckets: 48, from: TWO - 12 * HOUR_MS, to: TWO }]);
  });

  it('is asked for within the prefix of the caller', async () => {
    const { atHand, history } = setUp();
    atHand.overviewOf('finance-');
    await atHand.ready();
    expect(history.asked).toHaveLength(3);
    for (const [, query] of history.asked) expect(query).toMatchObject({ jobPrefix: 'finance-' });
  });

  it('is the last one, marked as stale, while the database is away', async () => {
    const { atHand, clock, history } = setUp();
    history.notBegun = [missedOf()];
    atHand.overviewOf('');
    await atHand.ready();
    history.fault = new Error('the database is away');
    await clock.advance(8_000);
    atHand.keepOverview('');
    await clock.advance(2_000);
    expect(atHand.overviewOf('')).toMatchObject({ stale: true, missed: 1, asOf: '2030-01-01T02:00:00.000Z' });
  });

  it('is asked for no more once nobody looks at it', async () => {
    const { atHand, clock, history } = setUp();
    atHand.overviewOf('');
    await atHand.ready();
    await clock.advance(HOUR_MS);
    expect(history.queriesOf('statistics')).toHaveLength(1);
  });
});
