import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { inWorkspace, installLibrary } from '../../nest/built/build-library.js';
import { runToEnd } from './support/started-task.js';

const NEST_11 = 'test/nest-11';
/** Has no packages of its own and uses those of the workspace. */
const NEST_12 = 'test/nest-12';
const fixture = (name: string) => fileURLToPath(new URL(`./support/${name}`, import.meta.url));

beforeAll(() => installLibrary([NEST_11, NEST_12]), 180_000);

describe.each([
  ['CommonJS under Nest 11', [fixture('bare.fixture.cjs'), inWorkspace(NEST_11)]],
  ['CommonJS under Nest 12', [fixture('bare.fixture.cjs'), inWorkspace(NEST_12)]],
  ['ES modules', [fixture('bare.fixture.mjs'), inWorkspace(`${NEST_12}/node_modules/nestjs-elastic-job/dist`)]],
])('a task of the built library, %s', (_, args) => {
  const command = [process.execPath, ...args];

  it('succeeds if its handler returns', async () => {
    expect(await runToEnd({ command })).toMatchObject({ code: 0, report: { outcome: 'succeeded' } });
  });

  it('fails if its handler throws', async () => {
    expect(await runToEnd({ command, envelope: { props: { fail: 'no rows' } } })).toMatchObject({
      code: 79,
      report: { outcome: 'failed', error: { name: 'RangeError', message: 'no rows' } },
    });
  });

  it('cannot run a job that does not exist', async () => {
    expect(await runToEnd({ command, envelope: { jobName: 'other' } })).toMatchObject({
      code: 78,
      report: { outcome: 'error', error: { name: 'UnknownTaskJobError' } },
    });
  });
});
