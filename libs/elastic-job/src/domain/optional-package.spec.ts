import { describe, expect, it } from 'vitest';
import { importOptional, MissingPackageError } from './optional-package.js';

const failing = (code: string, message: string) => () => Promise.reject(Object.assign(new Error(message), { code }));

describe('importOptional', () => {
  it('given a package that is there, when it is loaded, then the module is returned', async () => {
    const path = await importOptional('node:path', 'The test', () => import('node:path'));

    expect(path.join('a', 'b')).toBe('a/b');
  });

  it('given a package that is not installed, when it is imported, then the error names what needs it and the command', async () => {
    const name = 'never-installed-package';

    const loaded = importOptional(name, 'A test', () => import(/* @vite-ignore */ name));

    await expect(loaded).rejects.toThrow(MissingPackageError);
    await expect(loaded).rejects.toThrow(
      'A test needs the package "never-installed-package", which is not installed; run "npm install never-installed-package".',
    );
  });

  it.each([
    ['Node, import', 'ERR_MODULE_NOT_FOUND', "Cannot find package 'cron' imported from /app/a.js"],
    ['Node, require', 'MODULE_NOT_FOUND', "Cannot find module 'cron'\nRequire stack:\n- /app/a.js"],
    ["Yarn's Plug'n'Play", 'MODULE_NOT_FOUND', "a tried to access cron (a peer dependency) but it isn't provided"],
  ])('given the words of %s, when cron is missing, then it is named', async (_, code, message) => {
    const loaded = importOptional('cron', 'A test', failing(code, message));

    await expect(loaded).rejects.toMatchObject({ code: 'MISSING_PACKAGE', packageName: 'cron', cause: { code } });
  });

  it.each([
    ['ERR_MODULE_NOT_FOUND', "Cannot find package 'luxon' imported from /app/node_modules/cron/dist/index.js"],
    ['ERR_OTHER', "'cron' is broken"],
  ])('given cron itself fails with %s, when it is loaded, then its own error passes', async (code, message) => {
    await expect(importOptional('cron', 'A test', failing(code, message))).rejects.toMatchObject({ code, message });
  });
});
