import { describe, expect, it } from 'vitest';
import { errorOfImport, MissingPackageError } from './optional-package.js';

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });

describe('errorOfImport', () => {
  it('names the package that is missing, what needs it, and the command that installs it', async () => {
    const name = 'never-installed-package';

    const failed: unknown = await import(/* @vite-ignore */ name).catch((error: unknown) => error);

    const error = errorOfImport(failed, name, 'A test');
    expect(error).toBeInstanceOf(MissingPackageError);
    expect(error).toHaveProperty(
      'message',
      'A test needs the package "never-installed-package", which is not installed; ' +
        'run "npm install never-installed-package".',
    );
  });

  it.each([
    ['Node, import', 'ERR_MODULE_NOT_FOUND', "Cannot find package 'cron' imported from /app/a.js"],
    ['Node, require', 'MODULE_NOT_FOUND', "Cannot find module 'cron'\nRequire stack:\n- /app/a.js"],
    ["Yarn's Plug'n'Play", 'MODULE_NOT_FOUND', "a tried to access cron (a peer dependency) but it isn't provided"],
  ])('recognizes the missing package from the message of %s', (_, code, message) => {
    const error = errorOfImport(failure(code, message), 'cron', 'A test');

    expect(error).toMatchObject({ code: 'MISSING_PACKAGE', packageName: 'cron', cause: { code } });
  });

  it.each([
    ['ERR_MODULE_NOT_FOUND', "Cannot find package 'luxon' imported from /app/node_modules/cron/dist/index.js"],
    ['ERR_OTHER', "'cron' is broken"],
  ])('returns the error of the package itself if that fails with %s', (code, message) => {
    const failed = failure(code, message);

    expect(errorOfImport(failed, 'cron', 'A test')).toBe(failed);
  });
});
