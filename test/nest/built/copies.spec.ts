import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { inWorkspace, installLibrary } from './build-library.js';
import { MIXED } from './copies.js';

const NEST_11 = 'test/nest-11/copies';
const IMPORTER = 'node_modules/copies.importer.mjs';

beforeAll(async () => {
  await installLibrary([NEST_11]);
  await cp(inWorkspace('test/nest/built/copies.importer.mjs'), inWorkspace(`${NEST_11}/${IMPORTER}`));
}, 60_000);

describe.each(['import', 'require'])('the built library, if its first use is %s', (first) => {
  it('has one copy in a Node that can require ES modules', async () => {
    expect(await use(first)).toEqual({ ...MIXED, isOneCopy: true });
  });

  it('works although an application mixes both copies', async () => {
    expect(await use(first, '--no-experimental-require-module')).toEqual({ ...MIXED, isOneCopy: false });
  });
});

/** The output of a Nest 11 process that uses both. */
async function use(first: string, ...options: readonly string[]): Promise<unknown> {
  const fixture = [inWorkspace('test/nest/built/copies.fixture.cjs'), inWorkspace(NEST_11), first, IMPORTER];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, ...fixture]);
  return JSON.parse(stdout);
}
