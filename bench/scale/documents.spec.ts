import { describe, expect, it } from 'vitest';
import { formatMarkdown, replacePart } from './documents.js';
import { ROWS } from './rows.js';

const BEGIN = '<!-- table:begin -->';
const END = '<!-- table:end -->';

describe('table in the page', () => {
  it('takes the place of the former one, and leaves the rest of the page', () => {
    expect(replacePart(`before\n${BEGIN}\nold\n${END}\nafter`, 'table', 'new')).toBe(
      `before\n${BEGIN}\n\nnew\n\n${END}\nafter`,
    );
  });

  it('is refused if the page has no place for it', () => {
    expect(() => replacePart('a page', 'table', 'new')).toThrow('The page has not the lines');
    expect(() => replacePart(`${END}${BEGIN}`, 'table', 'new')).toThrow('The page has not the lines');
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
