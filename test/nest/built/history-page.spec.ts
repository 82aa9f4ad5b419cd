import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import Libsql from 'libsql';
import ts from 'typescript';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readBlocks } from '../../docs/blocks/blocks.js';
import { inWorkspace, installLibrary } from './build-library.js';

const NEST_11 = 'test/nest-11/history-page';
/** Git ignores it, and Node resolves packages from it like an application's code. */
const PAGE = inWorkspace(`${NEST_11}/node_modules/page`);
const COMPILER_OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2022,
  esModuleInterop: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};
const PROCESSES = 3;

/** The folder in which the processes run, where the page's database lies. */
let folder: string;
let workers: ChildProcess[];

beforeAll(async () => {
  await installLibrary([NEST_11]);
  await mkdir(PAGE, { recursive: true });
  for (const { file, text } of readBlocks('docs/operate/history.md')) {
    if (!file?.endsWith('.ts')) continue;
    const { outputText } = ts.transpileModule(text, { compilerOptions: COMPILER_OPTIONS });
    await writeFile(join(PAGE, basename(file).replace(/ts$/, 'js')), outputText);
  }
}, 60_000);
beforeEach(async () => {
  workers = [];
  folder = await mkdtemp(join(tmpdir(), 'history-page-'));
});
afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

describe.each([
  ['a Node that can require ES modules', []],
  ['an older Node', ['--no-experimental-require-module']],
])("the application of the history's page, in CommonJS, under %s", (_, options) => {
  it('prints the failed runs', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...options, join(PAGE, 'main.js')], {
      cwd: folder,
    });

    expect(stderr).not.toContain('ConfigurationError');
    expect(stdout).toMatch(/^city-report, item 2, \S+Z: Error: no data for Guangzhou$/m);
  }, 30_000);
});

describe("several processes of the history's page over one file", () => {
  it('lose no row, although another process locks the file again and again', async () => {
    const ended = Array.from({ length: PROCESSES }, () => start());
    await Promise.all(workers.map((worker) => once(worker, 'message'))); // They have begun their first item.
    await lockAgainAndAgain(8);
    for (const worker of workers) worker.send('close');
    const runs = await Promise.all(ended);

    const db = new Libsql(join(folder, 'history.db'));
    const written = workers.map(({ pid }) => {
      const ofProcess = `from JOB_EXECUTION_LOG where complete_time is not null and task_id like '%@-@${pid}-%'`;
      return Object(db.prepare(`select count(*) as runs ${ofProcess}`).get()).runs;
    });
    db.close();
    expect(written).toEqual(runs);
    expect(Math.min(...runs)).toBeGreaterThan(3);
  }, 60_000);
});

/** Starts a process of the page. @returns the number of its runs, once it has ended */
async function start(): Promise<number> {
  const fixture = inWorkspace('test/nest/built/history-page.fixture.cjs');
  const worker = fork(fixture, [PAGE], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  workers.push(worker);
  let runs = 0;
  worker.on('message', () => (runs += 1));
  await once(worker, 'exit');
  return runs;
}

async function lockAgainAndAgain(times: number): Promise<void> {
  const db = new Libsql(join(folder, 'history.db'), { timeout: 5_000 });
  for (let time = 0; time < times; time += 1) {
    db.exec('begin immediate');
    await sleep(250);
    db.exec('rollback');
    await sleep(250);
  }
  db.close();
}
