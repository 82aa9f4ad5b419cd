import { describe, expect, it } from 'vitest';
import { pack, RawPayload } from './messages.js';

describe('packing', () => {
  it('copies just the contents of payloads on shared memory into one memory', () => {
    const shared = Buffer.from('--one--three--');
    const payloads = [new RawPayload(shared.subarray(2, 5)), null, new RawPayload(shared.subarray(7, 12))];

    const { parts, memory } = pack(payloads);

    expect(parts.map((part) => Buffer.from(part).toString())).toEqual(['one', '', 'three']);
    expect(memory.byteLength).toBe('onethree'.length);
    expect(parts.every((part) => part.buffer === memory)).toBe(true);
  });
});
