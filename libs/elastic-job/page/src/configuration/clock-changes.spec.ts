import { describe, expect, it } from 'vitest';
import { fireTimesIn, intlZone } from './clock-changes.js';

const PARIS = 'Europe/Paris';

describe('fire times around a clock change', () => {
  it('name it on its day, and at the first time after it', () => {
    const times = ['2026-10-24T10:00:00.000Z', '2026-10-25T11:00:00.000Z', '2026-10-26T11:00:00.000Z'];
    const change = { from: '+02:00', to: '+01:00' };
    expect(fireTimesIn(times, PARIS, Date.parse('2026-10-23T10:00:00.000Z'))).toMatchObject([
      { text: '2026-10-24 12:00:00', offset: '+02:00', change: undefined, isSecond: false },
      { text: '2026-10-25 12:00:00', offset: '+01:00', change },
      { text: '2026-10-26 12:00:00', offset: '+01:00', change: undefined },
    ]);
  });

  it('name it also before the clocks are set on that day', () => {
    const [night, next] = fireTimesIn(
      ['2027-03-27T23:30:00.000Z', '2027-03-28T22:30:00.000Z'],
      PARIS,
      Date.parse('2027-03-27T12:00:00.000Z'),
    );
    const change = { from: '+01:00', to: '+02:00' };
    expect(night).toMatchObject({ text: '2027-03-28 00:30:00', offset: '+01:00', change });
    expect(next).toMatchObject({ text: '2027-03-29 00:30:00', offset: '+02:00', change });
  });

  it('say which of two equal times is the second one', () => {
    const times = ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'];
    expect(fireTimesIn(times, PARIS, Date.parse('2026-10-24T23:00:00.000Z'))).toMatchObject([
      { text: '2026-10-25 02:30:00', offset: '+02:00', isSecond: false },
      { text: '2026-10-25 02:30:00', offset: '+01:00', isSecond: true },
    ]);
  });

  it('have none in a zone whose clocks are never changed', () => {
    const times = ['2026-10-25T01:00:00.000Z', '2027-03-28T01:00:00.000Z'];
    for (const zone of ['UTC', 'Asia/Shanghai', 'GMT+8:00']) {
      expect(fireTimesIn(times, zone, Date.parse(times[0]!)).map(({ change }) => change)).toEqual([
        undefined,
        undefined,
      ]);
    }
  });

  it('are told in the zones of ElasticJob as well', () => {
    const zones = ['GMT+8:00', 'GMT-0530', 'GMT-08', PARIS];
    expect(zones.map(intlZone)).toEqual(['Etc/GMT-8', '-05:30', 'Etc/GMT+8', PARIS]);
    const [time] = fireTimesIn(['2026-12-01T01:00:00.000Z'], 'GMT+8:00', 0);
    expect(time).toMatchObject({ text: '2026-12-01 09:00:00', offset: '+08:00' });
  });
});
