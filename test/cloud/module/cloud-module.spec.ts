import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { JobEvents, type JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import type { JobOperateApi, ShardingStatisticsApi } from '../../../libs/elastic-job/src/operations/index.js';

import { bundleTaskSupervisor } from '@test/support/bundle/bundle.js';

const LEDGER = 'LEDGER';

let supervisor: Awaited<ReturnType<typeof bundleTaskSupervisor>>;
beforeAll(async () => {
  supervisor = await bundleTaskSupervisor();
});
afterAll(() => supervisor.remove());

let directory: string;
let app: INestApplicationContext | undefined;
let events: JobEvent[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cloud-module-'));
  const file = join(directory, 'ledger');
  writeFileSync(file, '');
  vi.stubEnv(LEDGER, file);
  vi.resetModules(); // The decorators read the path of the ledger.
  events = [];
});
afterEach(async () => {
  await app?.close();
  app = undefined;
  rmSync(directory, { recursive: true });
  vi.unstubAllEnvs();
});

async function start(): Promise<void> {
  const { AppModule } = await import('./support/app.module.js');
  const { JobEvents: Events } = await import('../../../libs/elastic-job/src/tracing/index.js');
  const module = await Test.createTestingModule({ imports: [AppModule.withBackend(supervisor.url)] }).compile();
  app = module;
  const told: JobEvents = module.get(Events, { strict: false });
  told.on((event) => void events.push(event));
  await module.init();
}

/** Runs a job as an operator does. Resolves when its items are settled. */
async function run(jobName: string): Promise<void> {
  const { JobOperateApi: Operate } = await import('../../../libs/elastic-job/src/operations/index.js');
  const operate: JobOperateApi = app!.get(Operate, { strict: false });
  await operate.trigger(jobName);
}

async function settled(jobName: string, count: number): Promise<readonly Extract<JobEvent, { kind: 'settled' }>[]> {
  const found = () =>
    events.flatMap((event) => (event.kind === 'settled' && event.trigger.jobName === jobName ? [event] : []));
  await vi.waitFor(() => expect(found()).toHaveLength(count), { timeout: 60_000, interval: 50 });
  return found();
}

function ledger(): readonly Record<string, unknown>[] {
  const text = readFileSync(process.env[LEDGER]!, 'utf8').trim();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}

it('runs each item once in a process of its own with executor task', async () => {
  await start();
  await run('settle');
  const ends = await settled('settle', 2);

  expect(ends.map(({ outcome }) => outcome.kind)).toEqual(['succeeded', 'succeeded']);
  const done = ledger();
  expect(new Set(done.map(({ settled: item }) => item))).toEqual(new Set([0, 1]));
  expect(new Set(done.map(({ shardingParameter }) => shardingParameter))).toEqual(new Set(['Beijing', 'Shanghai']));
  expect(done).toHaveLength(2);
  expect(done.every(({ hasToken }) => hasToken === true)).toBe(true);
  expect(new Set([process.pid, ...done.map(({ pid }) => pid)]).size).toBe(3);
  await vi.waitFor(() => expect(kinds('task-released')).toHaveLength(2));
  expect(kinds('task-launched')).toMatchObject([
    { jobName: 'settle', task: { launch: 1 } },
    { jobName: 'settle', task: { launch: 1 } },
  ]);
}, 120_000);

it('fails the item with the error that its handler threw in the task', async () => {
  await start();
  await run('fail');
  const ends = await settled('fail', 2);

  expect(ends.map(({ outcome }) => outcome)).toMatchObject([
    { kind: 'failed', error: { code: 'TASK_FAILED', message: expect.stringContaining('RangeError: out of stock') } },
    { kind: 'failed', error: { code: 'TASK_FAILED' } },
  ]);
  expect(kinds('executor-died')).toEqual([]);
}, 120_000);

it('tells running tasks to end when an operator cancels one or the application closes', async () => {
  await start();
  await run('wait');
  await vi.waitFor(() => expect(ledger()).toHaveLength(2), { timeout: 60_000, interval: 50 });
  const operations = await import('../../../libs/elastic-job/src/operations/index.js');
  const operate: JobOperateApi = app!.get(operations.JobOperateApi, { strict: false });
  const statistics: ShardingStatisticsApi = app!.get(operations.ShardingStatisticsApi, { strict: false });
  const shown = await statistics.getShardingInfo('wait');
  const task = { backend: 'processes', state: 'RUNNING', launch: 1 };
  expect(shown).toMatchObject([{ task }, { task }]);
  expect(shown.map((info) => info.task!.id)).toEqual(launched('wait'));

  await operate.cancel('wait', 0);

  expect(await settled('wait', 1)).toMatchObject([{ item: 0, outcome: { kind: 'aborted' } }]);
  await app!.close();
  app = undefined;
  expect(ledger().map(({ stopped }) => stopped)).toContain(0);
}, 120_000);

it('names the missing import at the start with executor task and no backend', async () => {
  const { AppModule } = await import('./support/app.module.js');
  const module = await Test.createTestingModule({ imports: [AppModule.withoutBackend()] }).compile();
  await expect(module.init()).rejects.toThrow('executor "task" needs a backend: import ElasticJobCloudModule.forRoot');
  await module.close().catch(() => {});
});

/** The ids of the tasks of a job, by item. */
function launched(jobName: string): readonly string[] {
  return events
    .flatMap((event) => (event.kind === 'task-launched' && event.jobName === jobName ? [event] : []))
    .toSorted((a, b) => a.item - b.item)
    .map(({ task }) => task.uid);
}

function kinds(kind: JobEvent['kind']): readonly JobEvent[] {
  return events.filter((event) => event.kind === kind);
}
