// A scheduler of the chaos: its items run as child processes.
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import {
  LocalProcesses,
  TaskJobType,
  TaskReconciliation,
  type TaskScheduling,
} from '../../../libs/elastic-job/src/cloud/index.js';
import { readRecords } from '../../../libs/elastic-job/src/coordination/index.js';
import { ZooKeeperRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import { type ChaosSettings, LEDGER_VARIABLE, SCHEDULER_VARIABLE } from './chaos-settings.js';

const GRACE_MS = 1_000;
const MOST_TASKS = 12;

const settings: ChaosSettings = JSON.parse(process.argv[2] ?? '{}');
const { jobs, ledger, namespace, program, scheduler, servers, sessionTimeoutMs } = settings;
const clock = new SystemClock();
const registry = new ZooKeeperRegistryCenter({ servers, namespace, sessionTimeoutMs }, clock);
const runtime = new ElasticJobRuntime({ registry, clock, drainTimeoutMs: 5_000, connectionTimeoutMs: 30_000 });
const backend = new LocalProcesses({ maxTasks: MOST_TASKS, supervisorUrl: new URL(settings.supervisor) });
const template = {
  command: [process.execPath, program],
  env: { [LEDGER_VARIABLE]: ledger, [SCHEDULER_VARIABLE]: scheduler },
};
const scheduling: TaskScheduling = {
  backend,
  cluster: 'chaos',
  clock,
  settingsOf: () => ({ template, resources: { cpu: 1, memoryMb: 256 }, graceMs: GRACE_MS }),
  recordsOf: (items, signal) => readRecords(registry, items, { signal }),
  emit: (event) => runtime.events.emit(event),
};
const reconciliation = new TaskReconciliation(scheduling, GRACE_MS);

runtime.events.on((event) => {
  if (event.kind === 'error') console.error(scheduler, event.jobName, event.message, event.error);
});
await backend.start({ clock, cluster: 'chaos', emit: () => {} });
for (const { cron, items: shardingTotalCount, name } of jobs) {
  const job = { name, cron, shardingTotalCount, failover: true, misfirePolicy: 'all', misfireLimit: 1_000 } as const;
  await runtime.registrar.add(job, new TaskJobType(scheduling));
}
await runtime.start();
reconciliation.start();
process.on('message', () => void leave());
process.send?.('ready');

async function leave(): Promise<void> {
  await reconciliation.stop();
  await runtime.stop();
  await backend.stop();
  process.exit(0);
}
