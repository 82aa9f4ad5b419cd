import { describe, expect, it } from 'vitest';
import { formatCheckpoint, MAX_CHECKPOINT_BYTES } from './checkpoint.js';

const format = (value: unknown) => formatCheckpoint('import', 3, value);

describe('the text of a checkpoint', () => {
  it('is the JSON of its value', () => {
    expect(format({ offset: 7 })).toBe('{"offset":7}');
  });

  it('has 64 KB at most, counted in bytes', () => {
    expect(format('x'.repeat(MAX_CHECKPOINT_BYTES - 2))).toHaveLength(MAX_CHECKPOINT_BYTES);
    expect(() => format('é'.repeat(MAX_CHECKPOINT_BYTES / 2))).toThrow(
      'Item 3 of job "import": the checkpoint has 65538 bytes, and may have 65536; ' +
        'save a position instead of the data.',
    );
  });

  it('has 20 levels at most, as every text of a node', () => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect(format(nested(20))).toHaveLength(40);
    expect(() => format(nested(21))).toThrow('the checkpoint cannot be read again: it has more than 20 levels.');
    expect(() => format(nested(30_000))).toThrow(expect.objectContaining({ code: 'CHECKPOINT_VALUE' }));
  });

  it('does not exist for what JSON cannot hold', () => {
    expect(() => format(undefined)).toThrow('the checkpoint is undefined, which JSON cannot hold');
    expect(() => format(() => {})).toThrow('the checkpoint is function, which JSON cannot hold');
  });

  it('names why a value has none, with the cause', () => {
    const text = () => format(7n);
    expect(text).toThrow('the checkpoint cannot be written as JSON: Do not know how to serialize a BigInt');
    expect(text).toThrow(expect.objectContaining({ code: 'CHECKPOINT_VALUE', cause: expect.any(TypeError) }));
  });
});
