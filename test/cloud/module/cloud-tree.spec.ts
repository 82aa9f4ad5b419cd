import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitFor } from '../../../libs/elastic-job/src/clock/index.js';
import { CloudConfigurations, type CloudJobOptions } from '../../../libs/elastic-job/src/nest/cloud/index.js';
import { JobOperateApi } from '../../../libs/elastic-job/src/operations/index.js';
import { JobEvents, type JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { bundleTaskSupervisor } from '@test/support/bundle/bundle.js';
import { SCRIPT, TreeModule } from './support/tree.module.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const APP = { appName: 'shop', appURL: 'registry.example.org/shop:1', bootstrapScript: SCRIPT };
const JOB: CloudJobOptions = {
  appName: 'shop',
  cpuCount: 0.5,
  memoryMB: 512,
  jobExecutionType: 'TRANSIENT',
  jobName: 'settle',
  // Never during this test, which triggers it itself.
  cron: '0 0 0 1 1 ? 2099',
  shardingTotalCount: 2,
  shardingItemParameters: '0=Beijing,1=Shanghai',
  jobParameter: 'nightly',
};

let supervisor: Awaited<ReturnType<typeof bundleTaskSupervisor>>;
let directory: string;
let ledger: string;
let namespace: string;
let apps: INestApplicationContext[];
let events: JobEvent[];
let news: EventEmitter<{ told: [JobEvent] }>;

beforeEach(async () => {
  supervisor = await bundleTaskSupervisor();
  directory = mkdtempSync(join(tmpdir(), 'cloud-tree-'));
  ledger = join(directory, 'ledger');
  writeFileSync(ledger, '');
  namespace = `tree-${randomUUID()}`;
  apps = [];
  events = [];
  news = new EventEmitter();
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.error(inspect(events, { depth: 4 }));
  await Promise.all(apps.map((app) => app.close()));
  rmSync(directory, { recursive: true });
  await supervisor.remove();
});

async function startScheduler(): Promise<INestApplicationContext> {
  const stage = { servers: zooKeeper, namespace, ledger, supervisorUrl: supervisor.url };
  const app = await Test.createTestingModule({ imports: [TreeModule.on(stage)] }).compile();
  apps.push(app);
  app.get(JobEvents, { strict: false }).on((event) => {
    events.push(event);
    news.emit('told', event);
  });
  await app.init();
  return app;
}

/** The next events that match, of all schedulers together. Call this before the action that leads there. */
async function next(count: number, matches: (event: JobEvent) => boolean): Promise<readonly JobEvent[]> {
  const matching: JobEvent[] = [];
  await waitFor((goOn) => {
    const hear = (event: JobEvent) => {
      if (matches(event) && matching.push(event) === count) goOn();
    };
    news.on('told', hear);
    return () => news.off('told', hear);
  });
  return matching;
}

const nextOfKind = (count: number, kind: JobEvent['kind']) => next(count, (event) => event.kind === kind);

function done(): readonly Record<string, unknown>[] {
  const text = readFileSync(ledger, 'utf8').trim();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}

it('runs a registered job in child processes of three schedulers until it is removed', async () => {
  const [first] = await Promise.all([startScheduler(), startScheduler(), startScheduler()]);
  const tree = first.get(CloudConfigurations, { strict: false });
  const joined = nextOfKind(3, 'joined');
  await tree.apps.add(APP);
  await tree.jobs.add(JOB);
  await joined;

  const settled = [0, 1].map((item) => next(1, (event) => event.kind === 'settled' && event.item === item));
  await first.get(JobOperateApi, { strict: false }).trigger('settle');

  const succeeded = { outcome: { kind: 'succeeded' } };
  expect((await Promise.all(settled)).flat()).toMatchObject([succeeded, succeeded]);
  const lines = done();
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ jobName: 'settle', jobParameter: 'nightly', shardingParameter: 'Beijing' }),
      expect.objectContaining({ jobName: 'settle', jobParameter: 'nightly', shardingParameter: 'Shanghai' }),
    ]),
  );
  expect(lines.every(({ pid }) => pid !== process.pid)).toBe(true);

  const left = nextOfKind(3, 'left');
  await tree.jobs.remove('settle');
  await left;
  expect(events.filter(({ kind }) => kind === 'error')).toEqual([]);
}, 120_000);
