import { describe, expect, it } from 'vitest';
import { dateChangelog } from './changelog.js';

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
