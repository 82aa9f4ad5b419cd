// One instance of ours under chaos, driven by lines of JSON: `worker.ts` is the other end.
import { createInterface } from 'node:readline';
import { resolveJobOptions } from '../../../../libs/elastic-job/src/domain/index.js';
import { ZooKeeperRegistryCenter } from '../../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../../../libs/elastic-job/src/runtime/index.js';
import { PlacedClock } from '../../../support/peers/placed-clock.js';
import { Handlers } from './handlers.js';
import { HostTime } from './host-time.js';
import { LineLog } from './line-log.js';
import type { WorkerSettings } from './worker.js';

const settings: WorkerSettings = JSON.parse(process.argv[2] ?? '{}');
const { name, ip, servers, namespace, sessionTimeoutMs, jobs, version } = settings;

const clock = new PlacedClock(ip);
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const time = new HostTime(settings.epochMs);
const told = new LineLog(settings.toldLog);
const tell = (event: string, facts: object): void => say({ ...facts, event, at: time.now() });
const registry = new ZooKeeperRegistryCenter({ servers, namespace, sessionTimeoutMs }, clock);
const runtime = new ElasticJobRuntime({ registry, clock, drainTimeoutMs: 5_000, connectionTimeoutMs: 30_000 });
const handlers = new Handlers(clock, settings);

runtime.events.on((event) => {
  const text = JSON.stringify(event, asJson);
  void told.append({ worker: name, at: time.now(), event: JSON.parse(text) });
  tell('runtime', { name, text });
});
for (const { name: jobName, cron, items } of jobs) {
  await runtime.registrar.register({
    configuration: resolveJobOptions(
      {
        name: jobName,
        cron,
        shardingTotalCount: items,
        failover: true,
        jobParameter: version,
        overwrite: version !== '',
      },
      { place: 'chaos' },
    ),
    className: jobName,
    place: 'chaos',
    handler: (context) => handlers.run(context),
  });
}
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, call }: { readonly id: number; readonly call: string } = JSON.parse(line);
    if (call !== 'leave') return say({ id, failed: `There is no ${call}.` });
    tell('leaving', {});
    void runtime.stop().then(() => say({ id, result: null }));
  })
  .on('close', () => process.exit());
await runtime.start();
if (settings.observes) {
  for (const { name: jobName } of jobs) {
    await registry.openSubtree(`/${jobName}/instances`, (event) => {
      if (event.kind === 'deleted') tell('gone', { text: event.path });
    });
  }
}
say({ event: 'ready' });

function asJson(_: string, value: unknown): unknown {
  if (value instanceof Error) return value.stack;
  return value instanceof Map ? [...value] : value;
}
