import { describe, expect, it } from 'vitest';
import {
  clockTime,
  dateTime,
  itemList,
  nearTime,
  offsetAt,
  roundSpan,
  span,
  weekday,
  wholeSeconds,
  zoneName,
} from './format.js';

const UNITS = { day: 'd', hour: 'h', minute: 'm', second: 's', ms: 'ms' };
const AT = Date.parse('2026-11-30T01:00:00.000Z');

describe('instants', () => {
  it('are told in their own zone', () => {
    expect(dateTime(AT, 'Europe/Paris')).toBe('2026-11-30 02:00:00');
    expect(clockTime(AT, 'Asia/Shanghai', false)).toBe('09:00');
  });

  it('have the weekday of their own zone, in the language of the page', () => {
    const late = Date.parse('2026-11-30T23:30:00.000Z');
    expect(weekday(late, 'UTC', 'en')).toBe('Mon');
    expect(weekday(late, 'Europe/Paris', 'en')).toBe('Tue');
    expect(weekday(late, 'Europe/Paris', 'zh-CN')).toBe('周二');
  });

  it('have their day unless that is today', () => {
    const here = { locale: 'en', timeZone: 'Europe/Paris' };
    expect(nearTime(AT, AT + 3_600_000, here)).toBe('02:00');
    expect(nearTime(AT, AT - 3 * 3_600_000, here)).toBe('Nov 30 02:00');
    expect(nearTime(AT, AT, { ...here, withSeconds: true })).toBe('02:00:00');
  });

  it('of the two hours of a clock change have two offsets', () => {
    const first = Date.parse('2026-10-25T00:30:00.000Z');
    const second = first + 3_600_000;
    expect([dateTime(first, 'Europe/Paris'), dateTime(second, 'Europe/Paris')]).toEqual([
      '2026-10-25 02:30:00',
      '2026-10-25 02:30:00',
    ]);
    expect([offsetAt(first, 'Europe/Paris'), offsetAt(second, 'Europe/Paris')]).toEqual(['+02:00', '+01:00']);
    expect(offsetAt(AT, 'UTC')).toBe('+00:00');
  });

  it('of a zone that this device does not know are told in UTC, by that name', () => {
    expect([clockTime(AT, 'Mars/Olympus', false), zoneName('Mars/Olympus')]).toEqual(['01:00', 'UTC']);
  });
});

describe('spans of time', () => {
  it.each([
    [0, '0 s'],
    [120, '120 ms'],
    [48_900, '48 s'],
    [717_000, '11 m 57 s'],
    [4_440_000, '1 h 14 m'],
    [187_200_000, '2 d 04 h'],
    [-5, '0 s'],
  ])('of %i ms have their two greatest units: %s', (ms, text) => {
    expect(span(ms, UNITS)).toBe(text);
  });
});

describe('a round span', () => {
  it('has one unit, and others have both', () => {
    expect([600_000, 3_600_000, 90_000, 1_000, 0].map((ms) => roundSpan(ms, UNITS))).toEqual([
      '10 m',
      '1 h',
      '1 m 30 s',
      '1 s',
      '0 s',
    ]);
  });
});

describe('a span that somebody looks at', () => {
  it('has no milliseconds, neither when it begins nor when it ends', () => {
    expect([999, 1_000, 61_234].map((ms) => span(wholeSeconds(ms), UNITS))).toEqual(['0 s', '1 s', '1 m 01 s']);
    expect(span(wholeSeconds(-250), UNITS)).toBe('0 s');
  });
});

describe('a list of items', () => {
  it('names neighbours by a range, and counts those that it does not name', () => {
    expect(itemList([3, 5])).toEqual({ shown: '3, 5', more: 0 });
    expect(itemList([0, 1, 2, 3, 7, 8])).toEqual({ shown: '0–3, 7, 8', more: 0 });
    expect(itemList([0, 2, 4, 6], 2)).toEqual({ shown: '0, 2', more: 2 });
  });
});
