import { describe, expect, it } from 'vitest';
import { formatMarkdown, putTable } from './documents.js';
import { ROWS } from './rows.js';

const BEGIN = '<!-- table:begin, written by npm run bench:scale -- --write-docs -->';
const END = '<!-- table:end -->';

describe('table in the page', () => {
  it('takes the place of the former one, and leaves the rest of the page', () => {
    expect(putTable(`before\n${BEGIN}\nold\n${END}\nafter`, 'new')).toBe(`before\n${BEGIN}\n\nnew\n\n${END}\nafter`);
  });

  it('is refused if the page has no place for it', () => {
    expect(() => putTable('a page', 'new')).toThrow('The page has not the lines');
    expect(() => putTable(`${END}${BEGIN}`, 'new')).toThrow('The page has not the lines');
  });

  it('has a line for each row, and says where it was measured', () => {
    const row = ROWS.find(({ letter }) => letter === 'e')!;

    expect(formatMarkdown([{ row, measured: '90', wanted: '≤ 100', verdict: 'kept' }], 'Today, here')).toBe(
      [
        'Today, here:',
        '',
        '| | row | measured | wanted | |',
        '| --- | --- | ---: | ---: | --- |',
        '| e | requests for 1,000 triggers of one instant | 90 | ≤ 100 | kept |',
      ].join('\n'),
    );
  });
});
