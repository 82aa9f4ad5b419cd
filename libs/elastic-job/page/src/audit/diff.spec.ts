import { describe, expect, it } from 'vitest';
import { diffOf } from './diff.js';

describe('before and after of an entry', () => {
  it('are told field by field, without those that are the same', () => {
    const before = { version: 3, cron: '0 0 2 * * ?', overwrite: false };
    const after = { version: 4, cron: '0 30 2 * * ?', overwrite: false };

    expect(diffOf(before, after)).toEqual([
      { field: 'version', before: '3', after: '4' },
      { field: 'cron', before: '0 0 2 * * ?', after: '0 30 2 * * ?' },
    ]);
  });

  it('tell what was not there apart from what is not told', () => {
    expect(diffOf(null, { cron: null })).toEqual([{ field: 'cron', before: undefined, after: 'null' }]);
  });

  it('list names, and show other values as they were sent', () => {
    expect(diffOf(undefined, { instances: ['a', 'b'], props: { x: 'hidden' } })).toEqual([
      { field: 'instances', before: undefined, after: 'a, b' },
      { field: 'props', before: undefined, after: '{"x":"hidden"}' },
    ]);
  });

  it('are one line if they are no fields', () => {
    expect(diffOf(null, 'left out: it has 90000 characters')).toEqual([
      { field: '', before: undefined, after: 'left out: it has 90000 characters' },
    ]);
    expect(diffOf(null, null)).toEqual([]);
  });

  it('are cut if they are long', () => {
    expect(diffOf(null, { cron: 'x'.repeat(9_000) })[0]?.after).toHaveLength(2_000);
  });
});
