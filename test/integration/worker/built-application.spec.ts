import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { inWorkspace, installLibrary } from '../../nest/built/build-library.js';
import { type Bundle, bundle } from '@test/support/bundle/bundle.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const DIRECTORY = 'test/integration/worker';
/** The folder of Nest 11. */
const COMMONJS = 'test/nest-11/worker';
const LIMIT_MS = 20_000;

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

describe('an application that connects in a worker thread', { timeout: LIMIT_MS }, () => {
  beforeAll(() => installLibrary([DIRECTORY, COMMONJS]), 60_000);

  it('works, closes and ends by itself with the built library', async () => {
    const program = new URL('application.fixture.mjs', import.meta.url);
    expect(await run(program)).toEqual({ stdout: 'of the application, goes\n', stderr: '' });
  });

  it('works, closes and ends by itself with the CommonJS copy', async () => {
    const program = fileURLToPath(new URL('application.fixture.cjs', import.meta.url));
    const output = await runNode(['--no-experimental-require-module', program, inWorkspace(COMMONJS), ...server()]);
    expect(output).toEqual({ stdout: 'of the application, goes\n', stderr: '' });
  });

  describe('that is bundled with the library', () => {
    let bundled: Bundle;
    beforeAll(async () => {
      bundled = await bundle(
        {
          application: `${DIRECTORY}/application.fixture.mjs`,
          worker: `${DIRECTORY}/zookeeper-worker.fixture.mjs`,
        },
        ['nestjs-elastic-job'],
      );
    });
    afterAll(() => bundled.remove());

    it('works, closes and ends by itself with a bundled entry of the worker', async () => {
      const text = await readFile(bundled.url('application'), 'utf8');
      expect(text).not.toMatch(/from ["']nestjs-elastic-job/);
      const output = await run(bundled.url('application'), './worker.mjs');
      expect(output).toEqual({ stdout: 'of the application, goes\n', stderr: '' });
    });

    it('fails without the place of the entry, and names the option', async () => {
      await expect(run(bundled.url('application'))).rejects.toThrow(
        /workerUrl: no worker thread can be started from .*connection-worker\.js/,
      );
    });
  });
});

/** Runs a program to its end. @throws with its output, if it fails or takes too long */
function run(program: URL, ...given: readonly string[]): Promise<Output> {
  return runNode([fileURLToPath(program), ...server(), ...given]);
}

/** The server, and a namespace of its own. */
function server(): readonly string[] {
  return [zooKeeper, `built/${new SystemClock().uuid()}`];
}

async function runNode(words: readonly string[]): Promise<Output> {
  return promisify(execFile)(process.execPath, words, { timeout: LIMIT_MS, killSignal: 'SIGKILL' });
}
