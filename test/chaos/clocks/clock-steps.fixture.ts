// A process with a job of one item that runs until it is aborted. It reports its session and each change in the answer
// of `assertHeld()`; see `clock-steps.spec.ts`.
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { ZooKeeperRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';

/** Interval at which a handler checks its lease, in milliseconds. */
const LOOK_MS = 2;

/** A message of the process. Processes of one host share the monotonic clock. */
export interface Told {
  readonly kind: 'ready' | 'started' | 'state' | 'held' | 'refused' | 'aborted';
  readonly session?: string;
  readonly state?: string;
  /** On the monotonic clock, in milliseconds. */
  readonly at: number;
}

const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;
const tell = (told: Omit<Told, 'at'>): void =>
  void (process.connected && process.send?.({ ...told, at: monotonicMs() }));
const clock = new SystemClock();
const { workerUrl, ...options } = JSON.parse(process.argv[2] ?? '{}');
const registry = new ZooKeeperRegistryCenter(
  { ...options, ...(workerUrl && { workerUrl: new URL(workerUrl) }) },
  clock,
);
const runtime = new ElasticJobRuntime({ registry, clock });
registry.onSession(({ state, id }) => tell({ kind: 'state', state, session: id }));

await runtime.registrar.add({ name: 'follow', resident: true, shardingTotalCount: 1 }, async (context) => {
  tell({ kind: 'started', session: registry.session.id });
  let last: Told['kind'] = 'held';
  // Checks once more after the abort: after a pause, the end may be read before the timers fire.
  for (let isOver = false; !isOver; await clock.sleep(LOOK_MS)) {
    isOver = context.signal.aborted;
    const kind = isHeld(context) ? 'held' : 'refused';
    if (kind !== last) tell({ kind, session: registry.session.id });
    last = kind;
  }
  tell({ kind: 'aborted' });
});
await runtime.start();
tell({ kind: 'ready' });

function isHeld(context: { assertHeld(): void }): boolean {
  try {
    context.assertHeld();
    return true;
  } catch {
    return false;
  }
}
