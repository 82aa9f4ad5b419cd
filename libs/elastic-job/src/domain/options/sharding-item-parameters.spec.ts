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
  ] as [string, [number, string][]][])(
    'given "%s", when read, then each item has its parameter',
    (text, parameters) => {
      expect([...parseShardingItemParameters(text)]).toEqual(parameters);
    },
  );

  it('given more than a node may hold, when read, then it is refused with the size, and told in part', () => {
    const read = () => parseShardingItemParameters('='.repeat(262_145));
    expect(read).toThrow(/cannot be read: it has more than 262144 bytes\.$/);
    expect(read).toThrow(/^.{1,1200}$/);
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
  ])('given "%s", when read, then it is refused', (text) => {
    expect(() => parseShardingItemParameters(text)).toThrow(ShardingItemParametersError);
    expect(() => parseShardingItemParameters(text)).toThrow(`"${text}"`);
  });
});
