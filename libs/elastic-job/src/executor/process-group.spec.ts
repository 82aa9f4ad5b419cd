import { once } from 'node:events';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endOfText, inheritedEnvironment, OutputTail } from './process-group.js';

afterEach(() => vi.unstubAllEnvs());

describe('the environment of a child process', () => {
  it.each(['LC_PASSWORD', 'LC_TOKEN', 'LC_SECRET', 'LC_', 'LC_ALL_KEYS', 'LANGSMITH', 'PATHS', 'lc_key'])(
    'has no %s, which is no variable of the locale',
    (name) => {
      vi.stubEnv(name, 's3cret');

      expect(Object.values(inheritedEnvironment())).not.toContain('s3cret');
    },
  );

  it.each(['PATH', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES', 'LC_TIME', 'LC_PAPER'])(
    'has %s',
    (name) => {
      vi.stubEnv(name, 'value');

      expect(inheritedEnvironment()).toMatchObject({ [name]: 'value' });
    },
  );

  it('has the variables that are named', () => {
    vi.stubEnv('LC_TOKEN', 'value');

    expect(inheritedEnvironment(['LC_TOKEN'])).toMatchObject({ LC_TOKEN: 'value' });
  });
});

describe('the kept end of an output', () => {
  it('is all of an output that is as long as the limit, and else begins with dots', async () => {
    const [whole, cut] = await Promise.all([tailOf(['half ', 'done'], 9), tailOf(['half ', 'done'], 8)]);

    expect([whole.text, cut.text]).toEqual(['half done', '...alf done']);
  });

  it('can be shortened further', async () => {
    expect((await tailOf(['half done'], 9)).last(4)).toBe('done');
  });
});

describe('the end of a text', () => {
  it.each([
    [0, ''],
    [-1, ''],
    [1, 'z'],
    // Each ü has two bytes, and the first of them is left out together with the second.
    [2, 'z'],
    [3, 'üz'],
    [4, 'üz'],
    [5, 'üüz'],
    [6, 'aüüz'],
    [100, 'aüüz'],
  ])('has at most %i bytes, and no broken character', (most, end) => {
    expect(endOfText(Buffer.from('aüüz'), most)).toBe(end);
  });

  it('is empty if no character fits', () => {
    expect(endOfText(Buffer.from('ü'), 1)).toBe('');
  });
});

async function tailOf(chunks: readonly string[], limit: number): Promise<OutputTail> {
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const tail = new OutputTail(limit).follow(stream);
  await once(stream, 'end');
  return tail;
}
