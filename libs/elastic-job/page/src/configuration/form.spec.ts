import { describe, expect, it } from 'vitest';
import { FIELDS } from './fields.js';
import { changesOf, type Raw, rawOf, valueOf } from './form.js';

const SETTINGS = {
  cron: '0 0 2 * * ?',
  timeZone: null,
  shardingTotalCount: 3,
  jobParameter: '',
  maxAttempts: 1,
  retryJitter: 0.5,
  concurrency: null,
  failover: false,
  after: ['load', 'check'],
  jobExtraConfigurations: 'hidden',
  props: { region: 'eu', 'db.password': 'hidden' },
};

function read(name: string, raw: Raw) {
  return valueOf(FIELDS.get(name)!, raw);
}

describe('a form that nobody has changed', () => {
  it('sends nothing, secrets among it', () => {
    const edits = Object.entries(SETTINGS).map(([name, value]) => [name, rawOf(FIELDS.get(name)!, value)]);
    expect(changesOf(SETTINGS, Object.fromEntries(edits))).toEqual({ settings: {}, faults: new Map() });
  });
});

describe('a field', () => {
  it.each([
    ['maxAttempts', ' 3 ', 3],
    ['maxAttempts', '', null],
    ['retryJitter', '0.25', 0.25],
    ['concurrency', 'cpu', 'CPU'],
    ['concurrency', '4', 4],
    ['concurrency', '', null],
    ['timeZone', ' Europe/Paris ', 'Europe/Paris'],
    ['timeZone', '', null],
    ['description', '', ''],
    ['jobParameter', 'a\n b ', 'a\n b '],
    ['after', 'load , ,check', ['load', 'check']],
    ['after', '', []],
    ['failover', true, true],
    ['cron', '0 0 3 * * ?', '0 0 3 * * ?'],
    ['cron', '', null],
    ['cron', 'at night', 'at night'],
  ])('%s with %j is %j', (name, raw, value) => {
    expect(read(name, raw)).toEqual({ value });
  });

  it.each([
    ['*/5 * * * *', '0 */5 * * * ?'],
    ['30 2 * * 1-5', '0 30 2 ? * MON-FRI'],
    ['15 30 2 * * 0', '15 30 2 ? * SUN'],
    ['@daily', '0 0 0 * * ?'],
  ])('of a Unix cron, such as %s, is what Quartz writes for it', (unix, quartz) => {
    expect(read('cron', unix)).toEqual({ value: quartz });
  });

  it.each([
    ['maxAttempts', '0', { kind: 'number', from: 1, to: 2_147_483_647, isWhole: true }],
    ['maxAttempts', '1.5', { kind: 'number', from: 1, to: 2_147_483_647, isWhole: true }],
    ['maxAttempts', 'ten', { kind: 'number', from: 1, to: 2_147_483_647, isWhole: true }],
    ['retryJitter', '2', { kind: 'number', from: 0, to: 1, isWhole: false }],
    ['concurrency', 'MANY', { kind: 'size' }],
  ])('%s refuses %j', (name, raw, fault) => {
    expect(read(name, raw)).toEqual({ fault });
  });
});

describe('props', () => {
  const rows = (...all: readonly (readonly [string, string])[]) =>
    all.map(([name, value], key) => ({ key, name, value, isNew: !Object.hasOwn(SETTINGS.props, name) }));

  it('keep hidden values as they are, whatever is changed beside them', () => {
    const props = rows(['region', 'us'], ['db.password', 'hidden'], ['new', '']);
    expect(changesOf(SETTINGS, { props }).settings).toEqual({
      props: { region: 'us', 'db.password': 'hidden', new: '' },
    });
  });

  it('in another order are no change', () => {
    const props = rows(['db.password', 'hidden'], ['region', 'eu']);
    expect(changesOf(SETTINGS, { props }).settings).toEqual({});
  });

  it.each([
    [rows(['', 'x']), { kind: 'noName' }],
    [rows(['a', 'x'], ['a ', 'y']), { kind: 'twice', name: 'a' }],
    [rows(['nestjs.resident', 'true']), { kind: 'reserved' }],
    [rows(['token', 'hidden']), { kind: 'nothingHidden' }],
  ])('%j are refused', (raw, fault) => {
    expect(read('props', raw)).toEqual({ fault });
  });
});
