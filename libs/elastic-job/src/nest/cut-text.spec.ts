import { describe, expect, it } from 'vitest';
import { cutText } from './cut-text.js';

describe('a message of the log', () => {
  it.each([
    ['4,096 letters', 'x'.repeat(4_096)],
    ['4,096 bytes of other letters', '業'.repeat(1_365)],
    ['nothing', ''],
  ])('stays as it is if it is %s', (_what, text) => {
    expect(cutText(text)).toBe(text);
  });

  it.each([
    ['letters', 'x'.repeat(4_097), 4_097],
    ['letters of two bytes', 'ß'.repeat(3_000), 6_000],
    ['letters of three bytes', '業'.repeat(2_000), 6_000],
    ['pairs of units', '😀'.repeat(2_000), 8_000],
    ['pairs of units after a letter', `x${'😀'.repeat(2_000)}`, 8_001],
    ['a megabyte', 'x'.repeat(1_048_576), 1_048_576],
  ])('is cut at 4 KB, between characters, and says how long it was: %s', (_what, text, bytes) => {
    const [kept, note] = cutText(text).split(' ... ');

    expect(note).toBe(`(cut, of ${bytes} bytes)`);
    expect(text.startsWith(kept!)).toBe(true);
    expect(kept).not.toMatch(/[\uD800-\uDBFF]$/);
    expect(Buffer.byteLength(cutText(text))).toBeLessThanOrEqual(4_096);
    expect(Buffer.byteLength(cutText(text))).toBeGreaterThan(4_092);
  });
});
