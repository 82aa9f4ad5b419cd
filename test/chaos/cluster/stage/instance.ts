import { createInterface } from 'node:readline';
import { resolveJobOptions } from '../../../../libs/elastic-job/src/domain/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime, type JobDefinition } from '../../../../libs/elastic-job/src/runtime/index.js';
import { PlacedClock } from '@test/support/peers/placed-clock.js';
import { HostTime } from './host-time.js';
import { LineLog } from './line-log.js';
import type { WorkerSettings } from './worker.js';

/** Release of the application, which a label has that is as full as it can be. */
const RELEASE = '1.43.1-rc.1+build_7';

/** Parts of an instance that its work needs. */
export interface InstanceParts {
  readonly settings: WorkerSettings;
  readonly clock: PlacedClock;
  readonly runtime: ElasticJobRuntime;
  readonly registry: RegistryCenter;
}

/** The work of every job of an instance. */
export interface InstanceWork {
  /** Completes a job by its work. */
  define(job: Omit<JobDefinition, 'handler'>): JobDefinition;
  /** Called before the jobs start. @default does nothing */
  start?(): Promise<void>;
  /** Called after the jobs have stopped. @default does nothing */
  stop?(): Promise<void>;
}

/** Makes this process one instance of ours under chaos, driven by lines of JSON. `worker.ts` is the other end. */
export async function runInstance(makeWork: (parts: InstanceParts) => InstanceWork): Promise<void> {
  const settings: WorkerSettings = JSON.parse(process.argv[2] ?? '{}');
  const { name, ip, servers, namespace, sessionTimeoutMs, jobs } = settings;
  const clock = new PlacedClock(ip);
  const time = new HostTime(settings.epochMs);
  const told = new LineLog(settings.toldLog);
  const tell = (event: string, facts: object): void => say({ ...facts, event, at: time.now() });
  const registry = new ZooKeeperRegistryCenter({ servers, namespace, sessionTimeoutMs }, clock);
  const runtime = new ElasticJobRuntime({
    registry,
    clock,
    version: RELEASE,
    drainTimeoutMs: 5_000,
    connectionTimeoutMs: 30_000,
  });
  runtime.events.on((event) => {
    const text = JSON.stringify(event, asJson);
    void told.append({ worker: name, at: time.now(), event: JSON.parse(text) });
    tell('runtime', { name, text });
  });
  const work = makeWork({ settings, clock, runtime, registry });
  await register(runtime, settings, work);
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const { id, call }: { readonly id: number; readonly call: string } = JSON.parse(line);
      if (call !== 'leave') return say({ id, failed: `There is no ${call}.` });
      tell('leaving', {});
      void leave(runtime, work).then(() => say({ id, result: null }));
    })
    .on('close', () => process.exit());
  await work.start?.();
  await runtime.start();
  if (settings.observes) {
    for (const { name: jobName } of jobs) {
      await registry.openSubtree(`/${jobName}/instances`, (event) => {
        if (event.kind === 'deleted') tell('gone', { text: event.path });
      });
    }
  }
  say({ event: 'ready' });
}

async function register(
  { registrar }: ElasticJobRuntime,
  { jobs, version }: WorkerSettings,
  work: InstanceWork,
): Promise<void> {
  for (const { name, cron, items } of jobs) {
    const options = { name, cron, shardingTotalCount: items, failover: true, jobParameter: version };
    const configuration = resolveJobOptions({ ...options, overwrite: version !== '' }, { place: 'chaos' });
    await registrar.register(work.define({ configuration, className: name, place: 'chaos' }));
  }
}

async function leave(runtime: ElasticJobRuntime, work: InstanceWork): Promise<void> {
  await runtime.stop();
  await work.stop?.();
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function asJson(_: string, value: unknown): unknown {
  if (value instanceof Error) return value.stack;
  return value instanceof Map ? [...value] : value;
}
