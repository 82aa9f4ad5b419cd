import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { parseLine, readBatches, readLines, writeLine } from './lines.js';

function linesOf(chunks: readonly (string | Buffer)[], most = 10): readonly string[] {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(stream, most, (line) => lines.push(line));
  for (const chunk of chunks) stream.emit('data', Buffer.from(chunk));
  return lines;
}

it('emits a line that comes in pieces once it is whole', () => {
  const [first, second] = [Buffer.from('ä\nb').subarray(0, 1), Buffer.from('ä\nb').subarray(1)];
  expect(linesOf([first, second, 'c\n\nd\ne'])).toEqual(['ä', 'bc', 'd']);
});

it('skips a line that is too long, and reads the next one', () => {
  expect(linesOf(['12345', '678901', '2', '\nnext\n', '1234567890\n12345678901\nlast\n'])).toEqual([
    'next',
    '1234567890',
    'last',
  ]);
});

it('tells of a line that is too long as soon as it is, once', () => {
  const stream = new PassThrough();
  let told = 0;
  readBatches(
    stream,
    10,
    () => {},
    () => (told += 1),
  );
  for (const [chunk, after] of [
    ['1234567890', 0],
    ['1', 1],
    ['2345', 1],
    ['\n12345678901', 2],
  ] as const) {
    stream.emit('data', Buffer.from(chunk));
    expect(told).toBe(after);
  }
});

it('takes the lines of one piece together', () => {
  const stream = new PassThrough();
  const batches: (readonly string[])[] = [];
  readBatches(stream, 10, (lines) => batches.push(lines));
  for (const chunk of ['a\nb\nc', 'd', '\n']) stream.emit('data', Buffer.from(chunk));
  expect(batches).toEqual([['a', 'b'], ['cd']]);
});

it('reads back the values that were written, and gives undefined for a line that is no JSON', () => {
  const stream = new PassThrough();
  const values: unknown[] = [];
  readLines(stream, 1_000, (line) => values.push(parseLine(line)));
  writeLine(stream, { text: 'two\nlines' });
  stream.emit('data', Buffer.from('nonsense\n'));
  stream.destroy();
  writeLine(stream, 'too late');
  expect(values).toEqual([{ text: 'two\nlines' }, undefined]);
});
