import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findInWorkspace, readSupplyTexts } from '../supply/workspace.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const texts = readSupplyTexts(ROOT);

describe('the packages that the workspace takes from others', () => {
  it('have no fault in the lock file and in the installed state', () => {
    expect(findInWorkspace(ROOT)).toEqual([]);
  });

  it.each([
    ['a package without a digest', 'integrity', (lock: string) => lock.replace(/"integrity": "[^"]*",/, '')],
    ['a package from elsewhere', 'source', added({ resolved: 'https://packages.example/left/-/left-1.0.0.tgz' })],
    ['a licence that nobody has allowed', 'licence', added({ license: 'GPL-3.0-only' })],
    ['a deprecated package', 'deprecated', added({ deprecated: 'no longer maintained' })],
    ['a package that runs a script when it is installed', 'install script', added({ hasInstallScript: true })],
    ['a harmful version', 'known bad', added({ name: 'kysely', version: '0.28.16' })],
    ['a peer range with a harmful version', 'known bad', (lock: string) => lock.replace('"^0.28.17 ||', '"^0.28.0 ||')],
  ])('have a fault with %s', (_, rule, change) => {
    const lockFile = change(texts.lockFile);
    expect(lockFile).not.toBe(texts.lockFile);
    expect(findInWorkspace(ROOT, { ...texts, lockFile }).map((one) => one.rule)).toEqual([rule]);
  });

  it('have a fault if the settings of npm name another registry', () => {
    const npmrc = `${texts.npmrc}registry=https://packages.example/\n`;
    expect(findInWorkspace(ROOT, { ...texts, npmrc })).toMatchObject([{ rule: 'source', subject: '.npmrc' }]);
  });
});

/** A lock file with one package more, which is not installed. */
function added(fields: Readonly<Record<string, unknown>>): (lock: string) => string {
  return (text) => {
    const lock = JSON.parse(text);
    const sound = { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==`, license: 'MIT' };
    lock.packages['node_modules/left'] = { ...sound, ...fields };
    return JSON.stringify(lock);
  };
}
