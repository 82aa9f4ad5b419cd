// A process that runs one job with one item. It reports in which order its handler learns of a pause; see
// `lease.spec.ts`.
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { resolveJobOptions, type ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';

/** Interval at which the timers of a handler check the lease, in milliseconds. */
const LOOK_MS = 5;

const tell = (message: object): void => void (process.connected && process.send?.(message));
const clock = new SystemClock();
const { workerUrl, ...options } = JSON.parse(process.argv[2] ?? '{}');
const registry = new ZooKeeperRegistryCenter(
  { ...options, ...(workerUrl && { workerUrl: new URL(workerUrl) }) },
  clock,
);
const runtime = new ElasticJobRuntime({ registry, clock });

/** Runs until its signal aborts. It keeps asking the registry, and checks its lease right after a pause. */
async function handler(context: ShardingContext): Promise<void> {
  const log: string[] = [];
  const { signal } = context;
  signal.addEventListener('abort', () => log.push(`signal ${String(signal.reason.code)}`), { once: true });
  await registry.exists('/');
  log.push('answer');
  let last = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - last > options.sessionTimeoutMs / 2) log.push('pause', isHeld(context) ? 'held' : 'lost');
    last = performance.now();
  }, LOOK_MS);
  // The process may be stopped from here on.
  tell({ started: registry.session.id });
  while (!signal.aborted) {
    await registry.exists('/').then(
      () => log.push('answer'),
      () => log.push('no answer'),
    );
    await clock.nextTurn();
  }
  if (!log.includes('pause')) await clock.sleep(2 * LOOK_MS);
  clearInterval(timer);
  tell({ log });
}

function isHeld(context: ShardingContext): boolean {
  try {
    context.assertHeld();
    return true;
  } catch {
    return false;
  }
}

const configuration = resolveJobOptions(
  { name: 'settle-orders', cron: '* * * * * ?', shardingTotalCount: 1, misfire: false },
  { place: 'fixture' },
);
await runtime.registrar.register({ configuration, className: 'Fixture', place: 'fixture', handler });
await runtime.start();
