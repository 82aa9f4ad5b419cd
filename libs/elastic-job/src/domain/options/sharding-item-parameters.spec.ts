import { describe, expect, it } from 'vitest';
import { parseShardingItemParameters, ShardingItemParametersError } from './sharding-item-parameters.js';

describe('parseShardingItemParameters', () => {
  it.each([
    ['', []],
    [
      '0=Beijing,1=Shanghai',
      [
        [0, 'Beijing'],
        [1, 'Shanghai'],
      ],
    ],
    [
      ' 2 = New York , 0=a b',
      [
        [2, 'New York'],
        [0, 'a b'],
      ],
    ],
    ['01=x', [[1, 'x']]],
    ['2147483647=a', [[2_147_483_647, 'a']]],
  ] as [string, [number, string][]][])('reads the parameter of each item from "%s"', (text, parameters) => {
    expect([...parseShardingItemParameters(text)]).toEqual(parameters);
  });

  it('refuses a text larger than a node may hold, and quotes it only in part', () => {
    const read = () => parseShardingItemParameters('='.repeat(262_145));
    expect(read).toThrow(/cannot be read: it has more than 262144 bytes\.$/);
    expect(read).toThrow(/^.{1,1200}$/);
  });

  it('quotes the wrong entry without blanks at its ends, and the beginning of a long one', () => {
    expect(() => parseShardingItemParameters('0=a, 1 ,2=b')).toThrow('but one is "1"');
    expect(() => parseShardingItemParameters(`0=a,${'x'.repeat(2_000)}`)).toThrow(/but one is "x{1000}"/);
  });

  it.each([
    '0',
    '0=',
    '0=a=b',
    '=a',
    'a=0',
    '0=a,',
    ' ',
    '-1=a',
    '0.5=a',
    '0=a,1=b,0=c',
    '2147483648=a',
    '9007199254740993=a',
  ])('refuses "%s" and quotes it', (text) => {
    expect(() => parseShardingItemParameters(text)).toThrow(ShardingItemParametersError);
    expect(() => parseShardingItemParameters(text)).toThrow(`"${text}"`);
  });
});
