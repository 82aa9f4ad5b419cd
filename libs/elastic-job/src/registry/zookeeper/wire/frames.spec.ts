import { describe, expect, it } from 'vitest';
import { FrameReader } from './frames.js';

const LONGEST = 1_000;
const frames = [
  Buffer.alloc(16, 1),
  Buffer.alloc(LONGEST, 2),
  Buffer.alloc(17, 3),
  ...Array.from({ length: 50 }, (_, n) => Buffer.alloc(20 + n, n)),
];
const stream = Buffer.concat(frames.flatMap((frame) => [lengthOf(frame.length), frame]));

describe('frames', () => {
  it.each([1, 2, 3, 4, 5, 19, 20, 21, 700, 5_000, stream.length])(
    'come out whole and in order from a stream in chunks of %i bytes',
    (size) => {
      const reader = new FrameReader(LONGEST);
      const read: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size) {
        for (const reply of reader.read(stream.subarray(at, at + size))) read.push(Buffer.from(reply.rest()));
      }
      expect(read).toEqual(frames);
    },
  );

  it.each([-1, 0, 15, LONGEST + 1, 0x7f_ff_ff_ff])('are refused as garbage with a length of %i', (length) => {
    const reader = new FrameReader(LONGEST);
    const read = () => [...reader.read(Buffer.concat([lengthOf(16), Buffer.alloc(16), lengthOf(length)]))];
    expect(read).toThrow(RangeError);
  });

  it('are delivered before garbage that comes in the same chunk', () => {
    const reader = new FrameReader(LONGEST);
    const reading = reader.read(Buffer.concat([lengthOf(16), Buffer.alloc(16, 7), lengthOf(-1)]));
    expect(reading.next().value?.rest()).toEqual(Buffer.alloc(16, 7));
    expect(() => reading.next()).toThrow('a reply of -1 bytes');
  });
});

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(length);
  return bytes;
}
