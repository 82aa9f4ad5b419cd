import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inWorkspace, installLibrary } from './build-library.js';

const NEST_11 = 'test/nest-11/missing-packages';
/**
 * Packages that every application has, class-validator, which the library brings, and Nest's schedule, which needs
 * `cron` but does not share it.
 */
const PACKAGES = [
  ...['common', 'core', 'schedule'].map((name) => `test/nest-11/node_modules/@nestjs/${name}`),
  ...['class-validator', 'reflect-metadata', 'rxjs'].map((name) => `node_modules/${name}`),
];

let folder: string;
beforeAll(async () => {
  // Below the workspace each package would be found.
  folder = await realpath(await mkdtemp(join(tmpdir(), 'missing-packages-')));
  await installLibrary([NEST_11]);
  const library = 'node_modules/nestjs-elastic-job';
  await cp(inWorkspace(`${NEST_11}/${library}`), join(folder, library), { recursive: true });
  for (const path of PACKAGES) {
    const place = join(folder, path.slice(path.indexOf('node_modules')));
    await mkdir(dirname(place), { recursive: true });
    await symlink(inWorkspace(path), place);
  }
}, 60_000);
afterAll(() => rm(folder, { recursive: true }));

describe.each([
  ['ES modules', []],
  ['CommonJS copy', ['--no-experimental-require-module']],
])("the built library's %s, without its optional packages", (_, options) => {
  it('names a missing package in its error, and the command that installs it', async () => {
    const fixture = inWorkspace('test/nest/built/missing-packages.fixture.cjs');
    const { stdout } = await promisify(execFile)(process.execPath, [...options, fixture, folder]);

    const missing = (packageName: string) => ({
      code: 'MISSING_PACKAGE',
      packageName,
      command: `npm install ${packageName}`,
    });
    expect(JSON.parse(stdout)).toEqual({
      listing: missing('cron'),
      testing: missing('@nestjs/testing'),
      email: missing('nodemailer'),
      workerPool: missing('piscina'),
    });
  });
});
