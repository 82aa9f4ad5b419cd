import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { freePort } from '@test/support/zookeeper/loopback.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { inWorkspace, installLibrary } from '../nest/built/build-library.js';
import { readBlocks } from './blocks/blocks.js';
import { COMPILER_OPTIONS } from './blocks/samples.js';
import { Program } from './readme/program.js';

const zooKeeper = await sharedZooKeeper();

/** Lies below the workspace, so that packages are found, but where no tool looks for sources. */
const FOLDER = `dist/applications-${process.pid}`;
const LIMIT_MS = 120_000;
const APPS = ['orders', 'reports', 'operator'];
const blocks = readBlocks('docs/production/several-applications.md').filter(({ language }) => language === 'ts');

/** Files that `nest generate` makes beside those of the page. */
const GENERATED: Readonly<Record<string, object>> = {
  'package.json': { type: 'module' },
  'nest-cli.json': {
    monorepo: true,
    root: 'apps/orders',
    compilerOptions: { builder: 'tsc', tsConfigPath: 'apps/orders/tsconfig.app.json' },
    projects: Object.fromEntries(APPS.map((name) => [name, projectOf(name)])),
  },
  'tsconfig.json': {
    compilerOptions: {
      ...COMPILER_OPTIONS,
      moduleResolution: 'nodenext',
      rootDir: '.',
      outDir: './dist',
      paths: { '@app/jobs': ['./libs/jobs/src/index.ts'] },
    },
  },
  ...Object.fromEntries(
    APPS.map((name) => [
      `apps/${name}/tsconfig.app.json`,
      {
        extends: '../../tsconfig.json',
        compilerOptions: { rootDir: '../..', outDir: `../../dist/apps/${name}` },
        include: ['src/**/*'],
      },
    ]),
  ),
};

function projectOf(name: string) {
  const root = `apps/${name}`;
  return {
    type: 'application',
    root,
    entryFile: 'main',
    sourceRoot: `${root}/src`,
    compilerOptions: { tsConfigPath: `${root}/tsconfig.app.json` },
  };
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const program = new Program(process.execPath, args, {
    cwd: inWorkspace(FOLDER),
    env: { ZOOKEEPER_SERVERS: zooKeeper, ...env },
  });
  onTestFinished(() => program.kill());
  return program;
}

/** Starts an application of the page, in a namespace. */
function start(name: string, namespace: string, env: Readonly<Record<string, string>> = {}): Program {
  return run([`dist/apps/${name}/apps/${name}/src/main.js`], { JOBS_NAMESPACE: namespace, ...env });
}

/** The lines that the operator's application prints. */
async function listed(namespace: string): Promise<readonly string[]> {
  const operator = start('operator', namespace);
  expect({ code: await operator.ended, output: operator.output }).toMatchObject({ code: 0 });
  return operator.output.split('\n').filter((line) => / instances \d/.test(line));
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

describe('the applications of "Several applications"', () => {
  let compiled: readonly { readonly code: unknown; readonly output: string }[];

  beforeAll(async () => {
    const files = [
      ...Object.entries(GENERATED).map(([file, content]) => [file, JSON.stringify(content)] as const),
      ...blocks.map(({ file, text }) => [file ?? '', text] as const),
      [
        'vitest.config.mjs',
        `export default {
          resolve: { alias: { '@app/jobs': \`\${import.meta.dirname}/libs/jobs/src/index.ts\` } },
          test: { env: { JOBS_NAMESPACE: 'shop-test' } },
        };`,
      ] as const,
    ];
    for (const [file, text] of files) {
      const path = inWorkspace(`${FOLDER}/${file}`);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    await installLibrary([FOLDER], true);
    const builds = APPS.map(
      (name) =>
        new Program(process.execPath, [inWorkspace('node_modules/@nestjs/cli/bin/nest.js'), 'build', name], {
          cwd: inWorkspace(FOLDER),
        }),
    );
    compiled = await Promise.all(builds.map(async (build) => ({ code: await build.ended, output: build.output })));
  }, LIMIT_MS);
  afterAll(() => rm(inWorkspace(FOLDER), { recursive: true }));

  it('name a file for each block', () => {
    expect(blocks.filter(({ file }) => file === undefined)).toEqual([]);
  });

  it('compile, as a monorepo of Nest with a path alias', () => {
    expect(compiled.map(({ code, output }) => [code, output])).toEqual(APPS.map(() => [0, expect.any(String)]));
  });

  it('share one job, and run one after the other, in one namespace', { timeout: LIMIT_MS }, async () => {
    const namespace = `shop-${process.pid}`;
    const [http, tcp] = [await freePort(), await freePort()];
    const orders = start('orders', namespace, { PORT: '0' });
    const reports = start('reports', namespace, { PORT: String(http), TCP_PORT: String(tcp) });
    await Promise.all([orders, reports].map((app) => app.says(/application successfully started/)));

    for (const app of [orders, reports]) await app.says(/cleanup of part/);
    await orders.says(/orders imported/);
    await reports.says(/report of the orders/);

    expect(orders.output).not.toContain('report of the orders');
    expect(orders.output).toContain('no providers of this application: ReportJobs;');
    expect(reports.output).toContain('no providers of this application: OrderJobs;');
    expect(await listed(namespace)).toEqual([
      'cleanup: OK, instances 2, after []',
      'orders-import: OK, instances 1, after []',
      'reports-orders: OK, instances 1, after [orders-import]',
    ]);
    expect(await listed(`${namespace}-staging`)).toEqual([]);
    expect(await Promise.all([http, tcp].map(accepts))).toEqual([true, true]);

    await orders.end('SIGTERM');
    const since = reports.output.length;
    for (const part of [0, 1, 2, 3]) await reports.says(new RegExp(`cleanup of part ${part}`), since);
    expect(await listed(namespace)).toContain('orders-import: CRASHED, instances 0, after []');
    await reports.end('SIGTERM');
    expect(reports.output).toContain('reports-orders: left as');
  });

  it(
    'say that they wait for ZooKeeper, end with an error of the log, and without a crash report of Node',
    async () => {
      const orders = start('orders', `away-${process.pid}`, { ZOOKEEPER_SERVERS: '127.0.0.1:1', PORT: '0' });
      expect(await orders.ended).toBe(1);
      const reason = 'connect: no session with 127.0.0.1:1 (namespace ';
      expect(orders.output.split('\n').filter((line) => line.includes(' ERROR '))).toEqual([
        expect.stringContaining('the start goes on trying'),
        expect.stringContaining(`[ElasticJob] the start has failed: ${reason}`),
        expect.stringContaining(`RegistryUnavailableError: ${reason}`),
      ]);
      expect(orders.output).not.toContain('Node.js v');
    },
    LIMIT_MS,
  );

  it(
    'end without their variable, rather than in the namespace of another environment',
    { timeout: LIMIT_MS },
    async () => {
      const orders = start('orders', '', { PORT: '0' });
      expect(await orders.ended).toBe(1);
      expect(orders.output).toContain('JOBS_NAMESPACE is not set');
    },
  );

  it('have a test that runs', { timeout: LIMIT_MS }, async () => {
    const tests = run([inWorkspace('node_modules/vitest/vitest.mjs'), 'run', 'apps/orders/src/shop.spec.ts']);
    expect({ code: await tests.ended, output: tests.output }).toMatchObject({ code: 0 });
    expect(tests.output).toMatch(/Tests +3 passed/);
  });
});
