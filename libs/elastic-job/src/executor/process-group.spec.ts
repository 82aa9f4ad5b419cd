import { afterEach, describe, expect, it, vi } from 'vitest';
import { inheritedEnvironment } from './process-group.js';

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
