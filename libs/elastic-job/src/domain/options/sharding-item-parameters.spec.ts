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

  it.each(['0', '0=', '0=a=b', '=a', 'a=0', '0=a,', ' ', '-1=a', '0.5=a', '0=a,1=b,0=c'])(
    'given "%s", when read, then it is refused',
    (text) => {
      expect(() => parseShardingItemParameters(text)).toThrow(ShardingItemParametersError);
      expect(() => parseShardingItemParameters(text)).toThrow(`"${text}"`);
    },
  );
});
