// A process that runs one job whose handler ignores its signal, and that shuts down when it is told to; see
// `shutdown.spec.ts`.
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';

const clock = new SystemClock();
const { workerUrl, drainTimeoutMs, ...options } = JSON.parse(process.argv[2] ?? '{}');
const registry = new ZooKeeperRegistryCenter(
  { ...options, ...(workerUrl && { workerUrl: new URL(workerUrl) }) },
  clock,
);
const runtime = new ElasticJobRuntime({ registry, clock, drainTimeoutMs });

async function handler(): Promise<void> {
  process.send?.('running');
  await new Promise(() => {});
}

async function shutDown(): Promise<void> {
  await runtime.stop();
  process.send?.('stopped');
}

process.on('SIGTERM', () => void shutDown());
const configuration = resolveJobOptions(
  { name: 'settle-orders', cron: '* * * * * ?', shardingTotalCount: 1 },
  { place: 'fixture' },
);
await runtime.registrar.register({ configuration, className: 'Fixture', place: 'fixture', handler });
process.send?.('starting');
await runtime.start().catch(() => {}); // It is told to stop meanwhile.
