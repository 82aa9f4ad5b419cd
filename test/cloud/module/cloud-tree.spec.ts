import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { CloudConfigurations, type CloudJobOptions } from '../../../libs/elastic-job/src/nest/cloud/index.js';
import { JobEvents, type JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { bundleTaskSupervisor } from '@test/support/bundle/bundle.js';
import { SCRIPT, TreeModule } from './support/tree.module.js';

const APP = { appName: 'shop', appURL: 'registry.example.org/shop:1', bootstrapScript: SCRIPT };
const JOB: CloudJobOptions = {
  appName: 'shop',
  cpuCount: 0.5,
  memoryMB: 512,
  jobExecutionType: 'TRANSIENT',
  jobName: 'settle',
  cron: '0/5 * * * * ?',
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

beforeEach(async () => {
  supervisor = await bundleTaskSupervisor();
  directory = mkdtempSync(join(tmpdir(), 'cloud-tree-'));
  ledger = join(directory, 'ledger');
  writeFileSync(ledger, '');
  namespace = `tree-${randomUUID()}`;
  apps = [];
  events = [];
});
afterEach(async () => {
  await Promise.all(apps.map((app) => app.close()));
  rmSync(directory, { recursive: true });
  await supervisor.remove();
});

async function startScheduler(): Promise<INestApplicationContext> {
  const stage = { servers: inject('zooKeeper'), namespace, ledger, supervisorUrl: supervisor.url };
  const app = await Test.createTestingModule({ imports: [TreeModule.on(stage)] }).compile();
  apps.push(app);
  app.get(JobEvents, { strict: false }).on((event) => void events.push(event));
  await app.init();
  return app;
}

function done(): readonly Record<string, unknown>[] {
  const text = readFileSync(ledger, 'utf8').trim();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}

it('runs a registered job in child processes of three schedulers until it is removed', async () => {
  const [first] = await Promise.all([startScheduler(), startScheduler(), startScheduler()]);
  const tree = first.get(CloudConfigurations, { strict: false });
  await tree.apps.add(APP);
  await tree.jobs.add(JOB);

  await vi.waitFor(() => expect(new Set(done().map(({ shardingItem }) => shardingItem))).toEqual(new Set([0, 1])), {
    timeout: 60_000,
    interval: 50,
  });
  expect(done()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ jobName: 'settle', jobParameter: 'nightly', shardingParameter: 'Beijing' }),
      expect.objectContaining({ jobName: 'settle', jobParameter: 'nightly', shardingParameter: 'Shanghai' }),
    ]),
  );
  expect(done().every(({ pid }) => pid !== process.pid)).toBe(true);

  await tree.jobs.remove('settle');
  await vi.waitFor(() => expect(events.filter(({ kind }) => kind === 'left')).toHaveLength(3), { timeout: 30_000 });
  expect(events.filter(({ kind }) => kind === 'error')).toEqual([]);
}, 120_000);
