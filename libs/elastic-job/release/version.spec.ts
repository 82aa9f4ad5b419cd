import { describe, expect, it } from 'vitest';
import { dateChangelog, findVersionFault, nextVersion } from './version.js';

describe('the next version', () => {
  it.each([
    ['1.2.3', ['fix(failover): a', 'docs: b'], '1.2.4'],
    ['1.2.3', ['perf: a'], '1.2.4'],
    ['1.2.3', ['fix: a', 'feat(nest): b'], '1.3.0'],
    ['1.2.3', ['feat: a', 'refactor(domain)!: b'], '2.0.0'],
    ['1.2.3', ['fix: a\n\nBREAKING CHANGE: b'], '2.0.0'],
    ['0.1.0', ['fix: a'], '0.1.1'],
    ['0.1.0', ['feat: a'], '0.2.0'],
    ['0.1.0', ['feat!: a'], '0.2.0'],
    ['0.1.0', ['docs: a', 'test: feat: b', 'a fix: c'], undefined],
    ['0.1.0', [], undefined],
  ])('after %s and the commits %j is %s', (released, messages, version) => {
    expect(nextVersion(released, messages)).toBe(version);
  });
});

describe('a given version', () => {
  it.each([
    ['0.1.0', undefined],
    ['1.0.0-rc.1', '0.9.0'],
    ['1.0.0', '1.0.0-rc.1'],
  ])('%s may follow %s', (version, released) => {
    expect(findVersionFault(version, released)).toBeUndefined();
  });

  it.each([
    ['v1.0.0', undefined, 'is no version'],
    ['1.0', undefined, 'is no version'],
    ['1.0.0', '1.0.0', 'is not newer'],
    ['0.9.9', '1.0.0', 'is not newer'],
  ])('%s may not follow %s', (version, released, fault) => {
    expect(findVersionFault(version, released)).toContain(fault);
  });
});

const HEAD = '# Changelog\n\nFor users.\n\n';
const OLD = '## 0.1.0 - 2026-01-01\n\n### Added\n\n- Old.\n';
const NOTES = '### Added\n\n- New.';

describe('the unreleased section of a changelog', () => {
  it.each(['Unreleased', '[Unreleased]', '0.2.0 - unreleased'])('called %s becomes that of the version', (title) => {
    const text = `${HEAD}## ${title}\n\n${NOTES}\n\n${OLD}`;
    expect(dateChangelog(text, '0.2.0', '2026-02-03')).toEqual({
      text: `${HEAD}## 0.2.0 - 2026-02-03\n\n${NOTES}\n\n${OLD}`,
      notes: NOTES,
    });
  });

  it('may be the only one', () => {
    const text = `${HEAD}## Unreleased\n\n${NOTES}\n`;
    expect(dateChangelog(text, '0.1.0', '2026-02-03')?.text).toBe(`${HEAD}## 0.1.0 - 2026-02-03\n\n${NOTES}\n`);
  });

  it.each([`${HEAD}${OLD}`, `${HEAD}## Unreleased\n\n${OLD}`])('that is missing or empty is none: %j', (text) => {
    expect(dateChangelog(text, '0.2.0', '2026-02-03')).toBeUndefined();
  });
});
