import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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
const LIMIT_MS = 60_000;
const TSCONFIG = { compilerOptions: { ...COMPILER_OPTIONS, rootDir: 'src', outDir: 'dist' }, include: ['src'] };
const SETTINGS = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': JSON.stringify(TSCONFIG),
  'vitest.config.mjs': "export default { test: { include: ['src/**/*.spec.ts'] } };",
};
const CITIES = ['Beijing', 'Guangzhou', 'Shanghai'];

const blocks = FOLLOWED_PAGES.flatMap((page) => readBlocks(page));

/** The project of a reader who has followed the pages to the end of a section. */
class Project {
  readonly folder: string;
  private readonly programs: Program[] = [];

  constructor(readonly section: string) {
    this.folder = inWorkspace(`${FOLDER}/${section.replaceAll(' ', '-')}`);
  }

  /** The projects run at once, so the job of each has a tree of its own. */
  async write(): Promise<void> {
    const tree = `namespace: 'reports-${process.pid}-${this.section.length}'`;
    const followed = [...filesUpTo(blocks, this.section)].map(
      ([file, { text }]) => [file, text.replaceAll("namespace: 'reports'", tree)] as const,
    );
    for (const [file, text] of [...Object.entries(SETTINGS), ...followed]) {
      await mkdir(dirname(`${this.folder}/${file}`), { recursive: true });
      await writeFile(`${this.folder}/${file}`, text);
    }
  }

  /** Runs a command in its folder. */
  run(command: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    const program = new Program(process.execPath, command, {
      cwd: this.folder,
      env: { ZOOKEEPER_SERVERS: zooKeeper, ...env },
    });
    this.programs.push(program);
    return program;
  }

  async startApplication(): Promise<{ readonly application: Program; readonly url: string }> {
    const port = await freePort();
    const application = this.run(['dist/main.js'], { PORT: String(port) });
    await application.says(/application successfully started/);
    const url = `http://127.0.0.1:${port}`;
    // Nest logs this before it listens, and logs nothing afterwards.
    await vi.waitFor(() => fetch(url), { timeout: 10_000 });
    return { application, url };
  }

  async kill(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.kill()));
  }
}

describe('the code of README.md, a section after the other', () => {
  const SECTIONS: Readonly<Record<string, (project: Project) => Promise<void>>> = {
    'First job': async (project) => {
      const { application } = await project.startApplication();
      for (const city of CITIES) await application.says(new RegExp(`${city} done`));
      await application.end('SIGINT');
      expect(linesOf('ElasticJob', application.output)).toEqual([
        expect.stringMatching(/^session \S+ CONNECTED with the embedded registry, /),
        expect.stringMatching(/^city-report: joined as /),
        expect.stringMatching(/^city-report: left as /),
      ]);
    },
    ZooKeeper: async (project) => {
      const { application } = await project.startApplication();
      await application.says(/CONNECTED, \S+ \(namespace "[^"]+"\), granted for 15000 ms/);
      for (const city of CITIES) await application.says(new RegExp(`${city} done`));
      await application.end('SIGTERM');
      expect(application.output).toContain('city-report: left as');
    },
    Test: async (project) => {
      const tests = project.run([inWorkspace('node_modules/vitest/vitest.mjs'), 'run', 'src/report.jobs.spec.ts']);
      expect({ code: await tests.ended, output: tests.output }).toMatchObject({ code: 0 });
      expect(tests.output).toMatch(/Tests +1 passed/);
    },
    Operate: async (project) => {
      const { application } = await project.startApplication();
      const operator = project.run(['dist/operate.js', 'city-report']);
      expect({ code: await operator.ended, output: operator.output }).toMatchObject({ code: 0 });
      expect(operator.output).toMatch(/'city-report'.*'OK'/);
      await application.says(/city-report: triggered by an operator/);
      await application.end('SIGTERM');
    },
    'An application with all of it': async (project) => {
      const { application, url } = await project.startApplication();
      const metrics = async () => (await fetch(`${url}/metrics`)).text();
      const isRun = expect.stringMatching(/^elastic_job_items_total\{[^}]*city-report[^}]*succeeded[^}]*\} [3-9]/m);
      await vi.waitFor(async () => expect(await metrics()).toEqual(isRun), { timeout: 30_000 });
      for (const path of ['/health/live', '/health/ready']) expect((await fetch(url + path)).status).toBe(200);
      await application.end('SIGTERM');

      const db = new Libsql(`${project.folder}/reports.db`);
      expect(db.prepare('select distinct city from report order by city').pluck().all([])).toEqual(CITIES);
      expect(db.prepare('select distinct job_name from elastic_job_fence').pluck().all([])).toEqual(['city-report']);
      db.close();
    },
  };

  const projects = Object.keys(SECTIONS).map((section) => new Project(section));
  let compiled: { readonly code: unknown; readonly output: string };

  beforeAll(async () => {
    await Promise.all([installLibrary([FOLDER], true), ...projects.map((project) => project.write())]);
    // In one process, so that the compiler reads the packages once.
    const [compiler] = projects;
    const tsc = [inWorkspace('node_modules/typescript/bin/tsc'), '--build', ...projects.map(({ folder }) => folder)];
    const build = compiler!.run(tsc);
    compiled = { code: await build.ended, output: build.output };
  }, 2 * LIMIT_MS);
  afterAll(() => rm(inWorkspace(FOLDER), { recursive: true }));

  it('names a file for each block of code, which a reader has to know', () => {
    const isCode = ({ language }: Block) => language === 'ts' || language === 'yaml';
    expect(blocks.filter((block) => isCode(block) && block.file === undefined)).toEqual([]);
  });

  it('runs each section that has code', () => {
    const withCode = blocks.filter(({ language }) => language === 'ts').map(({ section }) => section);
    expect([...new Set(withCode)]).toEqual(Object.keys(SECTIONS));
  });

  it('compiles, for a reader who has followed the page to the end of each section', () => {
    expect(compiled).toEqual({ code: 0, output: '' });
  });

  it.concurrent.for(projects.map((project) => [project.section, project] as const))(
    'does what "%s" says, for a reader who has followed the page to its end',
    { timeout: LIMIT_MS },
    async ([section, project], { onTestFinished }) => {
      onTestFinished(() => project.kill());
      expect(compiled.code).toBe(0);
      await SECTIONS[section]!(project);
    },
  );
});

/** The messages of one context in Nest's log. */
function linesOf(context: string, log: string): readonly string[] {
  const parts = log.split('\n').map((line) => line.split(` [${context}] `));
  return parts.flatMap(([, message]) => message ?? []);
}
