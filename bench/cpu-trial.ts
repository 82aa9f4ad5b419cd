// One contestant of bench/cpu.ts, in a process of its own: 100 jobs of one item, with empty handlers. It is copied
// beside the sources that it measures, and imports only these. Each message of its parent asks for a number of measured
// windows.
//
// cpu-trial.ts memory CRON | cpu-trial.ts HOST:PORT CRON
import { SystemClock } from '../libs/elastic-job/src/clock/index.js';
import { resolveJobOptions } from '../libs/elastic-job/src/domain/index.js';
import { MemoryRegistry, ZooKeeperRegistryCenter } from '../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../libs/elastic-job/src/runtime/index.js';
import { VirtualClock } from '../libs/elastic-job/src/testing/index.js';

/** Number of triggers of one window, and their cost. */
export interface Window {
  readonly triggers: number;
  readonly cpuUs: number;
}

const JOBS = 100;
const WINDOW_MS = 20_000;
/** Windows begin and end between two fire times. */
const AHEAD_MS = 500;
const NAMESPACE = `bench-${process.pid}`;

const [place = 'memory', cron = '* * * * * ?'] = process.argv.slice(2);
const virtual = place === 'memory' ? new VirtualClock({ wall: Date.UTC(2030, 0, 1) - AHEAD_MS }) : undefined;
const clock = virtual ?? new SystemClock();
const registry = virtual
  ? memoryCenter(virtual)
  : new ZooKeeperRegistryCenter({ servers: place, namespace: NAMESPACE }, clock);
const runtime = new ElasticJobRuntime({ registry, clock });
let triggers = 0;
// The end of the parent, for any cause, ends this process.
process.once('disconnect', () => process.exit());
await start();
process.on('message', (windows: number) => void measure(windows).then((found) => process.send?.(found)));
process.send?.('ready');

function memoryCenter(time: VirtualClock) {
  const limits = { sessionTimeoutMs: 60_000, requestTimeoutMs: 10_000, latencyMs: 1 };
  return new MemoryRegistry(time).center({ namespace: NAMESPACE, clock: time, ...limits });
}

async function start(): Promise<void> {
  for (let job = 0; job < JOBS; job += 1) {
    const options = { name: `job-${job}`, cron, shardingTotalCount: 1, failover: true, monitorExecution: true };
    const configuration = resolveJobOptions(options, { place: NAMESPACE });
    const handler = () => void (triggers += 1);
    await runtime.registrar.register({ configuration, className: NAMESPACE, place: NAMESPACE, handler });
  }
  const started = runtime.start();
  await (virtual?.advanceUntil(started) ?? started);
}

async function measure(windows: number): Promise<readonly Window[]> {
  const found: Window[] = [];
  let end = Math.ceil((clock.wallNow() + AHEAD_MS) / WINDOW_MS) * WINDOW_MS - AHEAD_MS;
  await until(end);
  while (found.length < windows) {
    const before = triggers;
    const begun = process.cpuUsage();
    await until((end += WINDOW_MS));
    const { user, system } = process.cpuUsage(begun);
    found.push({ triggers: triggers - before, cpuUs: user + system });
  }
  return found;
}

function until(wallMs: number): Promise<void> {
  const ms = Math.max(0, wallMs - clock.wallNow());
  return virtual ? virtual.advance(ms) : clock.sleep(ms);
}
