import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { inWorkspace, installLibrary } from './build-library.js';

const NEST_11 = 'test/nest-11/copies';
const IMPORTER = `import * as library from 'nestjs-elastic-job';
import * as registry from 'nestjs-elastic-job/registry';
export const libraries = [library, registry];
`;

const MIXED = { isInjected: true, assigned: 1, isErrorOfBoth: true, isNoOther: true };

beforeAll(async () => {
  await installLibrary([NEST_11]);
  await writeFile(inWorkspace(`${NEST_11}/node_modules/importer.mjs`), IMPORTER);
}, 60_000);

describe.each(['import', 'require'])('the built library, if its first use is %s', (first) => {
  it('given a Node that can require ES modules, when it is imported and required, then there is one copy', async () => {
    expect(await use(first)).toEqual({ ...MIXED, isOneCopy: true });
  });

  it('given a resolver that loads both copies, when an application mixes them, then it runs all the same', async () => {
    expect(await use(first, '--no-experimental-require-module')).toEqual({ ...MIXED, isOneCopy: false });
  });
});

/** What a process of Nest 11 says that uses both. */
async function use(first: string, ...options: readonly string[]): Promise<unknown> {
  const fixture = inWorkspace('test/nest/built/copies.fixture.cjs');
  const { stdout } = await promisify(execFile)(process.execPath, [...options, fixture, inWorkspace(NEST_11), first]);
  return JSON.parse(stdout);
}
