import { describe, expect, it } from 'vitest';
import { effectsIn, linesOf, type RunLine, runsIn, toldIn } from './index.js';

describe('the logs', () => {
  const line = { run: 'a#1', job: 'j', item: 0, fireTime: 7_000, source: null, token: '5', tokenEpoch: 0, worker: 'a' };
  const step = (name: RunLine['step'], at: number): RunLine => ({ ...line, step: name, begunAt: 7_010, at });

  it('make a run of its lines, which ends when its work is done or has failed', () => {
    const [begin, end, fail] = [step('begin', 7_010), step('end', 7_100), step('fail', 7_200)];
    expect(runsIn([begin, end], [])).toMatchObject([
      { token: 5n, begunAt: 7_010, endedAt: 7_100, outcome: 'succeeded' },
    ]);
    expect(runsIn([begin, fail], [])).toMatchObject([{ endedAt: 7_200, outcome: 'aborted' }]);
    expect(runsIn([begin], [])).toMatchObject([{ endedAt: undefined, outcome: 'open' }]);
    const refused = { ...end, position: 0, isAccepted: false };
    expect(runsIn([begin, end, fail], [refused])).toMatchObject([{ endedAt: 7_100, outcome: 'refused' }]);
    expect(effectsIn([refused, { ...begin, position: 1, isAccepted: true }])).toMatchObject([
      { position: 1, token: 5n },
    ]);
  });

  it('leave out the half line that a killed process was writing', () => {
    expect(linesOf('{"a":1}\n{"a":2}\n{"a"')).toEqual(['{"a":1}', '{"a":2}']);
    expect(linesOf('')).toEqual([]);
  });

  it('tell each item of a missed fire time, and all fire times of a long outage', () => {
    const event = { kind: 'missed', jobName: 'j', items: [0, 2], since: 5_000, fireTime: 7_000 };
    const told = { job: 'j', worker: 'a', at: 8_005, from: 5_000, to: 7_000 };
    const lines = [event, { ...event, kind: 'refused' }].map((each) => ({ worker: 'a', at: 8_005, event: each }));
    expect(toldIn(lines)).toEqual([
      { ...told, item: 0 },
      { ...told, item: 2 },
    ]);
  });
});
