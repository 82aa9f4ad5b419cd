import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import type { ThreadContext } from '@app/elastic-job/worker-pool';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { ZooKeeperRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { inWorkspace, installLibrary } from './build-library.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const NEST_11 = 'test/nest-11';
/** A folder without packages of its own, so that it uses the workspace's. */
const NEST_12 = 'test/nest-12';

const clock = new SystemClock();

/** A worker process and its output so far. */
class Worker {
  readonly steps: unknown[] = [];
  private readonly process: ChildProcess;
  private readonly ended: Promise<unknown[]>;

  constructor(directory: string, arrangement: string, registry: object) {
    const worker = inWorkspace('test/nest/built/worker.fixture.cjs');
    this.process = fork(worker, [inWorkspace(directory), arrangement, JSON.stringify(registry)], { stdio: 'pipe' });
    this.ended = once(this.process, 'close');
    createInterface(this.process.stdout!).on('line', (line) => {
      const step: unknown = JSON.parse(line);
      this.steps.push(step);
      this.process.emit('step', step);
    });
    this.process.stderr!.on('data', (text: Buffer) => void this.steps.push(text.toString()));
  }

  /** Resolves when the worker has written the step, or has ended. */
  async says(step: string): Promise<void> {
    while (!this.steps.includes(step)) {
      const said = await Promise.race([once(this.process, 'step'), this.ended.then(() => undefined)]);
      if (said === undefined) throw new Error(`the worker ended without "${step}": ${JSON.stringify(this.steps)}`);
    }
  }

  close(): void {
    this.process.send('close');
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Resolves with the exit code or the signal that ended the process. */
  async end(): Promise<unknown> {
    const [code, signal] = await this.ended;
    return signal ?? code;
  }
}

/** The part of a context that a thread needs. */
class HandMadeContext implements ThreadContext {
  readonly jobName = 'render';
  readonly taskId = 'render@-@0@-@READY@-@10.0.0.1@-@1';
  readonly jobParameter = '';
  readonly shardingTotalCount = 1;
  readonly shardingItem = 0;
  readonly shardingParameter = undefined;
  readonly fireTime = new Date(0);
  readonly source = 'NORMAL_TRIGGER';
  readonly trigger = 'schedule';
  readonly attempt = 1;
  readonly token = 1n;
  readonly tokenEpoch = 0;
  readonly signal = new AbortController().signal;
  assertHeld = () => {};
}

beforeAll(() => installLibrary([NEST_11, NEST_12]), 60_000);

describe.each([
  ['11', NEST_11],
  ['12', NEST_12],
])('the built library, required from CommonJS under Nest %s', (_version, directory) => {
  const workers: Worker[] = [];

  // Empty if the workers have ended by themselves.
  afterAll(() => {
    for (const worker of workers) worker.kill('SIGKILL');
  });

  function start(arrangement: string, registry: object): Worker {
    const worker = new Worker(directory, arrangement, registry);
    workers.push(worker);
    return worker;
  }

  it.concurrent.each(['before', 'after', 'root'])(
    'lets a run end before the database closes (database imported %s)',
    async (arrangement) => {
      const worker = start(arrangement, { type: 'memory' });
      await worker.says('begun');
      worker.close();
      expect(await worker.end()).toBe(0);
      expect(worker.steps).toEqual([
        { leader: true, listed: true, readiness: 'up' },
        'begun',
        'written',
        'database closed',
        'closed',
      ]);
    },
    30_000,
  );

  it('lets the item end and leaves no node if SIGTERM comes during a run', async () => {
    const registry = {
      type: 'zookeeper',
      servers: zooKeeper,
      namespace: `built-library/${clock.uuid()}`,
    } as const;
    const worker = start('after', registry);
    await worker.says('begun');
    worker.kill('SIGTERM');
    expect(await worker.end()).toBe('SIGTERM');
    expect(worker.steps.slice(1)).toEqual(['begun', 'written', 'database closed']);

    const center = new ZooKeeperRegistryCenter(registry, clock);
    await center.connect();
    try {
      expect(await center.children('/settle-orders/instances')).toEqual([]);
      expect(await center.children('/settle-orders/sessions')).toEqual([]);
      expect(await center.children('/settle-orders/leader/election')).not.toContain('instance');
      expect(await center.children('/settle-orders/sharding/0')).not.toContain('running');
    } finally {
      await center.close();
    }
  }, 30_000);
});

describe('the worker pool', () => {
  it.each(['dist', 'dist/cjs'])('finds the file of its threads beside the pool in %s', async (copy) => {
    const entry = inWorkspace(`${NEST_12}/node_modules/nestjs-elastic-job/${copy}/executor/worker-pool/index.js`);
    const { WorkerThreads }: typeof import('@app/elastic-job/worker-pool') = await import(pathToFileURL(entry).href);
    const pool = new WorkerThreads({ maxThreads: 1 });
    const module = new URL('../../integration/worker-pool/handlers.fixture.mjs', import.meta.url).href;
    const context = new HandMadeContext();
    try {
      await expect(
        pool.run({ module, exportName: 'fail', context, input: { mode: 'value' }, endAfterMs: undefined, clock }),
      ).rejects.toBe('no error');
    } finally {
      await pool.close();
    }
  });
});

describe('the main entry point', () => {
  it('imports Nest and class-validator, and no optional package', async () => {
    const packages = await packagesBehind(inWorkspace(`${NEST_12}/node_modules/nestjs-elastic-job/dist/index.js`));
    expect([...packages].filter((name) => !isBuiltin(name)).toSorted()).toEqual([
      '@nestjs/common',
      '@nestjs/core',
      'class-validator',
    ]);
  });
});

describe('an older Node', () => {
  const OLDER = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.10.0" } })';
  const packed = 'node_modules/nestjs-elastic-job';

  it.each([
    ['ES modules', 'module', "import 'nestjs-elastic-job'"],
    ['CommonJS', 'commonjs', `require('./${packed}/dist/cjs/index.js')`],
  ])('is refused in one line, in %s', async (_system, type, code) => {
    const given = ['--import', `data:text/javascript,${encodeURIComponent(OLDER)}`, `--input-type=${type}`, '-e', code];
    const started = promisify(execFile)(process.execPath, given, { cwd: inWorkspace(NEST_12) });

    await expect(started).rejects.toMatchObject({
      stderr: expect.stringMatching(/^Error: nestjs-elastic-job needs Node 20\.19 .*, and this is Node 20\.10\.0; /m),
    });
  });

  it('is refused by each entry before anything else is loaded', async () => {
    const folder = inWorkspace(`${NEST_12}/${packed}`);
    const { exports }: { readonly exports: object } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
    const files = JSON.stringify(exports).match(/\.\/dist[^"]+\.js/g) ?? [];
    const first = await Promise.all(
      [...new Set(files)].map(async (file) => {
        const text = await readFile(`${folder}/${file}`, 'utf8');
        return /^(?:import|.*\brequire\()[^;]*;/m.exec(text)?.[0];
      }),
    );

    expect(first.length).toBeGreaterThan(40);
    expect(first.filter((line) => !/["'](?:\.\.?\/)+node-version\.js["']/.test(line ?? ''))).toEqual([]);
  });
});

/** Every package that a module imports, directly or through files of its own package. */
async function packagesBehind(entry: string): Promise<ReadonlySet<string>> {
  const packages = new Set<string>();
  const files = new Set([entry]);
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    for (const [, specifier = ''] of text.matchAll(
      /^(?:import|(?:import|export) [^'"`;=]*? from) ['"]([^'"]+)['"]/gm,
    )) {
      if (specifier.startsWith('.')) files.add(fileURLToPath(new URL(specifier, pathToFileURL(file))));
      else packages.add(specifier);
    }
  }
  return packages;
}
