import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { parseLine, readLines, writeLine } from './lines.js';

function linesOf(chunks: readonly (string | Buffer)[], most = 10): readonly string[] {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(stream, most, (line) => lines.push(line));
  for (const chunk of chunks) stream.emit('data', Buffer.from(chunk));
  return lines;
}

it('given lines in pieces, when they are read, then each comes once it is whole', () => {
  const [first, second] = [Buffer.from('ä\nb').subarray(0, 1), Buffer.from('ä\nb').subarray(1)];
  expect(linesOf([first, second, 'c\n\nd\ne'])).toEqual(['ä', 'bc', 'd']);
});

it('given a line that is too long, when it is read, then it is passed over, and the next one is read', () => {
  expect(linesOf(['12345', '678901', '2', '\nnext\n', '1234567890\n12345678901\nlast\n'])).toEqual([
    'next',
    '1234567890',
    'last',
  ]);
});

it('given values, when they are written and read, then they are the same, and what is no JSON is nothing', () => {
  const stream = new PassThrough();
  const values: unknown[] = [];
  readLines(stream, 1_000, (line) => values.push(parseLine(line)));
  writeLine(stream, { text: 'two\nlines' });
  stream.emit('data', Buffer.from('nonsense\n'));
  stream.destroy();
  writeLine(stream, 'too late');
  expect(values).toEqual([{ text: 'two\nlines' }, undefined]);
});
