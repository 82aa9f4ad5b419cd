import { describe, expect, it } from 'vitest';
import { CONSOLE_TABLE } from './console-options.js';
import { ConsolePath } from './console-path.js';

describe('the path of the console', () => {
  it.each(['elastic-job', '/elastic-job', '/internal/operations_of.jobs/', '/a/b/c'])('may be %s', (path) => {
    expect(CONSOLE_TABLE.checked('a test', { path })).toMatchObject({ path });
  });

  it.each(['', '/', '//', '/a//b', '/jobs/:id', '/jobs*', `/${'internal-operations-'.repeat(10)}*`])(
    'is refused at once if it is %s',
    (path) => {
      expect(() => CONSOLE_TABLE.checked('a test', { path })).toThrow(/path/);
    },
  );

  it.each([
    ['/elastic-job/api/v1/jobs?q=a', '/api/v1/jobs?q=a'],
    ['/internal/elastic-job/api/v1', '/api/v1'],
    ['/elastic-job/api/v10/jobs', undefined],
    ['/orders?next=/elastic-job/api/v1/jobs', undefined],
  ])('is found in %s', (url, below) => {
    expect(new ConsolePath('/elastic-job').below(url)).toBe(below);
  });
});
