// One process of the import, driven by lines of JSON. `crew.ts` is the other end.
import { createInterface } from 'node:readline';
import { type JobHandler, type JobOptions, resolveJobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import { dataflowHandler } from '../../../libs/elastic-job/src/executor/index.js';
import { ZooKeeperRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import { PlacedClock } from '@test/support/peers/placed-clock.js';
import { IMPORT, type ImporterSettings, REPORT, REPORT_ITEMS } from './import-plan.js';
import { ImportRows } from './import-rows.js';

const settings: ImporterSettings = JSON.parse(process.argv[2] ?? '{}');
const { ip, servers, namespace, sessionTimeoutMs, plan } = settings;
const clock = new PlacedClock(ip);
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const registry = new ZooKeeperRegistryCenter({ servers, namespace, sessionTimeoutMs }, clock);
const runtime = new ElasticJobRuntime({ registry, clock, drainTimeoutMs: 5_000, connectionTimeoutMs: 30_000 });
const job = new ImportRows(clock, settings);
const processRows = dataflowHandler(clock, job);

runtime.events.on((event) => {
  const text = JSON.stringify(event, (_, value: unknown) => (value instanceof Error ? value.stack : value));
  say({ event: 'runtime', at: clock.wallNow(), kind: event.kind, message: text });
});
await register(
  {
    name: IMPORT,
    // Never due by itself: the test triggers it.
    cron: '0 0 0 1 1 ? 2199',
    shardingTotalCount: plan.items,
    failover: true,
    concurrency: 2,
    props: { 'streaming.process': 'true' },
  },
  (context) => {
    // A run that has to stop may have an unsaved batch. A process that ends here cannot report it.
    context.signal.addEventListener('abort', () => void job.tell('abort', context).catch(() => {}));
    return processRows(context);
  },
);
await register({ name: REPORT, after: IMPORT, shardingTotalCount: REPORT_ITEMS, failover: true }, async (context) => {
  await job.tell('report', context);
  await clock.sleep(plan.batchMs);
  await job.tell('reported', context);
});
const calls: Readonly<Record<string, (fireTime: number) => unknown>> = {
  tick: (fireTime) => void runtime.registrar.of(IMPORT).currentSession!.tick(fireTime),
  leave: () => runtime.stop(),
};
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const given: { id: number; call: string; with: { fireTime: number } } = JSON.parse(line);
    void Promise.resolve(calls[given.call]!(given.with.fireTime)).then(() => say({ id: given.id, result: null }));
  })
  .on('close', () => process.exit());
await runtime.start();
say({ event: 'ready' });

async function register(options: JobOptions & { readonly name: string }, handler: JobHandler): Promise<void> {
  const configuration = resolveJobOptions(options, { place: 'chaos' });
  await runtime.registrar.register({ configuration, className: options.name, place: 'chaos', handler });
}
