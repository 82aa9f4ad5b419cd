import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { inWorkspace, installLibrary } from '../../nest/built/build-library.js';
import { freePort } from '@test/support/zookeeper/loopback.js';
import { type Block, filesUpTo, readBlocks } from '../blocks/blocks.js';
import { COMPILER_OPTIONS } from '../blocks/samples.js';
import { FOLLOWED_PAGES } from './pages.js';
import { Program } from './program.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

/** Lies below the workspace, so that packages are found, but where no tool looks for sources. */
const FOLDER = `dist/readme-${process.pid}`;
const project = inWorkspace(FOLDER);
const LIMIT_MS = 60_000;
const TSCONFIG = { compilerOptions: { ...COMPILER_OPTIONS, rootDir: 'src', outDir: 'dist' }, include: ['src'] };
const SETTINGS = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': JSON.stringify(TSCONFIG),
  'vitest.config.mjs': "export default { test: { include: ['src/**/*.spec.ts'] } };",
};
const CITIES = ['Beijing', 'Guangzhou', 'Shanghai'];

let blocks: readonly Block[];
const programs: Program[] = [];

beforeAll(async () => {
  await installLibrary([FOLDER], true);
  blocks = FOLLOWED_PAGES.flatMap((page) => readBlocks(page));
}, LIMIT_MS);
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.kill()));
});
afterAll(() => rm(project, { recursive: true }));

/** Runs a command in the project. */
function run(command: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const program = new Program(process.execPath, command, {
    cwd: project,
    env: { ZOOKEEPER_SERVERS: zooKeeper, ...env },
  });
  programs.push(program);
  return program;
}

/** Compiles the project of a reader who has followed the page to the end of a section. */
async function follow(section: string): Promise<{ readonly code: unknown; readonly output: string }> {
  await rm(`${project}/src`, { recursive: true, force: true });
  const followed = [...filesUpTo(blocks, section)].map(([file, { text }]) => [file, text] as const);
  for (const [file, text] of [...Object.entries(SETTINGS), ...followed]) {
    await mkdir(dirname(`${project}/${file}`), { recursive: true });
    await writeFile(`${project}/${file}`, text);
  }
  const compiler = run([inWorkspace('node_modules/typescript/bin/tsc')]);
  return { code: await compiler.ended, output: compiler.output };
}

async function startApplication(): Promise<{ readonly application: Program; readonly url: string }> {
  const port = await freePort();
  const application = run(['dist/main.js'], { PORT: String(port) });
  await application.says(/application successfully started/);
  const url = `http://127.0.0.1:${port}`;
  // Nest logs this before it listens, and logs nothing afterwards.
  await vi.waitFor(() => fetch(url), { timeout: 10_000 });
  return { application, url };
}

describe('the code of README.md, a section after the other', () => {
  const SECTIONS: Readonly<Record<string, () => Promise<void>>> = {
    'First job': async () => {
      const { application } = await startApplication();
      for (const city of CITIES) await application.says(new RegExp(`${city} done`));
      await application.end('SIGINT');
      expect(application.output).toContain('city-report: left as');
    },
    ZooKeeper: async () => {
      const { application } = await startApplication();
      await application.says(/granted for 15000 ms/);
      for (const city of CITIES) await application.says(new RegExp(`${city} done`));
      await application.end('SIGTERM');
      expect(application.output).toContain('city-report: left as');
    },
    Test: async () => {
      const tests = run([inWorkspace('node_modules/vitest/vitest.mjs'), 'run', 'src/report.jobs.spec.ts']);
      expect({ code: await tests.ended, output: tests.output }).toMatchObject({ code: 0 });
      expect(tests.output).toMatch(/Tests +1 passed/);
    },
    Operate: async () => {
      const { application } = await startApplication();
      const operator = run(['dist/operate.js', 'city-report']);
      expect({ code: await operator.ended, output: operator.output }).toMatchObject({ code: 0 });
      expect(operator.output).toMatch(/'city-report'.*'OK'/);
      await application.says(/city-report: triggered by an operator/);
      await application.end('SIGTERM');
    },
    'An application with all of it': async () => {
      const { application, url } = await startApplication();
      await application.says(/city-report: finished/);
      for (const path of ['/health/live', '/health/ready']) expect((await fetch(url + path)).status).toBe(200);
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^elastic_job_.*city-report/m);
      await application.end('SIGTERM');

      const db = new Libsql(`${project}/reports.db`);
      expect(db.prepare('select distinct city from report order by city').pluck().all([])).toEqual(CITIES);
      expect(db.prepare('select distinct job_name from elastic_job_fence').pluck().all([])).toEqual(['city-report']);
      db.close();
    },
  };

  it('names a file for each block of code, which a reader has to know', () => {
    const isCode = ({ language }: Block) => language === 'ts' || language === 'yaml';
    expect(blocks.filter((block) => isCode(block) && block.file === undefined)).toEqual([]);
  });

  it('runs each section that has code', () => {
    const withCode = blocks.filter(({ language }) => language === 'ts').map(({ section }) => section);
    expect([...new Set(withCode)]).toEqual(Object.keys(SECTIONS));
  });

  it.each(Object.keys(SECTIONS))(
    'does what "%s" says, for a reader who has followed the page to its end',
    async (section) => {
      expect(await follow(section)).toEqual({ code: 0, output: '' });
      await SECTIONS[section]!();
    },
    LIMIT_MS,
  );
});
