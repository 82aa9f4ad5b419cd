import { describe, expect, it } from 'vitest';
import { cutText, visibleStacks, visibleText } from './line-log.js';

describe('a text in the log', () => {
  it.each([
    ['a line that would be forged', 'a\r\n[Nest] LOG all is well', String.raw`a\r\n[Nest] LOG all is well`],
    ['a command of a terminal', '\u001b[2J\u009b31m', String.raw`\u001b[2J\u009b31m`],
    ['marks of direction', 'a\u202etxt.exe\u2069\u061c', String.raw`a\u202etxt.exe\u2069\u061c`],
    ['what cannot be seen', 'a\u200bb\ufeff\u2028', String.raw`a\u200bb\ufeff\u2028`],
    ['half of a character', 'a\ud800', String.raw`a\ud800`],
    ['tags, which spell a hidden text', 'a\u{e0041}\u{e007f}', String.raw`a\u{e0041}\u{e007f}`],
    [
      'characters without a shape',
      'a\u00ad\u034f\u3164\ufe0f\u{e0100}\u2800\u{1d173}',
      String.raw`a\u00ad\u034f\u3164\ufe0f\u{e0100}\u2800\u{1d173}`,
    ],
    ['characters of private meaning', 'a\ue000\u{10fffd}', String.raw`a\ue000\u{10fffd}`],
    ['usual text', 'Straße 作業 \u{1f600} "x" \\n', 'Straße 作業 \u{1f600} "x" \\n'],
  ])('shows all of %s', (_, given, shown) => {
    expect(visibleText(given)).toBe(shown);
  });

  it('shows only the calls of a stack as lines of their own if the message has lines too', () => {
    const message = 'no\n    at forged (a.js:1:1)\u001b[2J';
    const stack = `Error: ${message}\n    at real (b.js:1:1)\n    at more (c.js:2:2)`;
    const shown =
      String.raw`Error: no\n    at forged (a.js:1:1)\u001b[2J` + '\n    at real (b.js:1:1)\n    at more (c.js:2:2)';
    const forged = Object.assign(new Error(message), { stack });

    expect(visibleStacks(forged)).toBe(shown);
    expect(visibleStacks(Object.assign(new Error('outer', { cause: forged }), { stack: 'Error: outer' }))).toBe(
      `Error: outer\nCaused by: ${shown}`,
    );
    expect(visibleStacks(Object.assign(new Error(''), { stack: 'a stack\r\n\u001b of its own' }))).toBe(
      `a stack${String.raw`\r`}\n${String.raw`\u001b`} of its own`,
    );
  });

  it('shows no stack of a value that has none', () => {
    expect(visibleStacks('a text')).toBeUndefined();
    expect(visibleStacks(Object.assign(new Error('bare'), { stack: undefined }))).toBeUndefined();
  });

  it('shows a megabyte of hidden characters in full', () => {
    expect(visibleText('\u202e'.repeat(300_000))).toHaveLength(1_800_000);
  });
});

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
