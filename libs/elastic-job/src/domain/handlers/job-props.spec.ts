import { describe, expect, it } from 'vitest';
import { faultsOf, PropsReader } from './job-props.js';

describe('PropsReader', () => {
  it('reads valid props as values, without faults', () => {
    const reader = new PropsReader({
      host: 'h',
      port: '25',
      isOn: 'false',
      url: 'http://127.0.0.1:1/x?key=k',
      empty: '',
      least: '1',
      most: '65535',
    });
    expect([
      reader.required('host'),
      reader.positive('port'),
      reader.positive('limit', 3),
      reader.positive('least'),
      reader.positive('most', 3, 65_535),
      reader.text('empty'),
    ]).toEqual(['h', 25, 3, 1, 65_535, undefined]);
    expect([reader.flag('isOn', true), reader.flag('other', true), reader.requiredUrl('url')]).toEqual([
      false,
      true,
      'http://127.0.0.1:1/x?key=k',
    ]);
    expect(reader.faults).toEqual([]);
  });

  it.each<[Record<string, string>, (reader: PropsReader) => unknown, string]>([
    [{}, (reader) => reader.required('host'), 'host must be given'],
    [{}, (reader) => reader.required('host', 'h'), 'host must be given, such as "h"'],
    [{ host: '' }, (reader) => reader.required('host'), 'host must be given'],
    [{}, (reader) => reader.positive('port'), 'port must be given'],
    [{ port: '0' }, (reader) => reader.positive('port'), 'port must be a whole number from 1 to 2147483647'],
    [{ port: '1.5' }, (reader) => reader.positive('port', 3), 'port must be a whole number from 1 to 2147483647'],
    [{ port: '70000' }, (reader) => reader.positive('port', 3, 65_535), 'port must be a whole number from 1 to 65535'],
    [{ isOn: 'yes' }, (reader) => reader.flag('isOn', true), 'isOn must be true or false'],
    [{}, (reader) => reader.requiredUrl('url'), 'url must be given'],
    [
      { url: 'k3y' },
      (reader) => reader.requiredUrl('url'),
      'url must be an address that begins with https:// or http://',
    ],
    [
      { url: 'xhttps://a' },
      (reader) => reader.requiredUrl('url'),
      'url must be an address that begins with https:// or http://',
    ],
    [
      { url: 'https://' },
      (reader) => reader.requiredUrl('url'),
      'url must be an address that begins with https:// or http://',
    ],
  ])('names the fault of the props %j', (props, read, fault) => {
    const reader = new PropsReader(props);
    read(reader);
    expect(reader.faults).toEqual([fault]);
  });
});

describe("the faults that a user's check of the props finds", () => {
  it.each<[unknown, readonly string[]]>([
    [[], []],
    [['url must be given'], ['url must be given']],
    [['url must be given', 7], ['the check of the props must return a list of texts, but has returned object']],
    ['url', ['the check of the props must return a list of texts, but has returned string']],
    [undefined, ['the check of the props must return a list of texts, but has returned undefined']],
  ])('are its texts, or that it gives none: %j', (found, faults) => {
    expect(faultsOf(() => found)).toEqual(faults);
  });

  it('are what it throws, which the caller gets as well', () => {
    const error = new TypeError('no url');
    const thrown: unknown[] = [];
    const check = () => {
      throw error;
    };

    expect(faultsOf(check, (one) => thrown.push(one))).toEqual(['the check of the props has thrown: no url']);
    expect(thrown).toEqual([error]);
  });
});
