import { setTimeout as delay } from 'node:timers/promises';
import type { Seeded } from '@test/support/seeded.js';
import type { Cluster } from './cluster.js';
import type { Worker } from './worker.js';

/** Faults of one worker. Each resolves when it is healed, or when the victim is replaced. */
export const WORKER_FAULTS = {
  SIGKILL: kill,
  'SIGKILL of a leader': kill,
  'SIGSTOP, short': (cluster, victim, random) => pause(cluster, victim, 'SIGSTOP, short', random.between(0.1, 0.6)),
  'SIGSTOP, past the session': (cluster, victim, random) =>
    pause(cluster, victim, 'SIGSTOP, past the session', random.between(1.3, 2)),
  cut,
  'black hole': (cluster, victim, random) => blackhole(cluster, victim, 'both', random),
  'black hole to the server': (cluster, victim, random) => blackhole(cluster, victim, 'toServer', random),
  'black hole to the client': (cluster, victim, random) => blackhole(cluster, victim, 'toClient', random),
  delay: slow,
  'clock ahead': (cluster, victim, random) => stepClock(cluster, victim, 'clock ahead', random),
  'clock behind': (cluster, victim, random) => stepClock(cluster, victim, 'clock behind', random),
  throttled: throttle,
} satisfies Record<string, (cluster: Cluster, victim: Worker, random: Seeded) => Promise<void>>;

export type WorkerFault = keyof typeof WORKER_FAULTS;

/** Longest time until a refused write is tried again. */
export const RETRY_MS = 5_500;
const HARMLESS = { isPause: false, isFatal: false };

async function kill(cluster: Cluster, victim: Worker): Promise<void> {
  const isLeader = cluster.options.jobs.some(({ name }) => cluster.tree.leader(name) === victim.name);
  const kind = isLeader ? 'SIGKILL of a leader' : 'SIGKILL';
  cluster.faults.open({ kind, victim: victim.name, isPause: false, isFatal: true });
  await cluster.workforce.kill(victim);
  await cluster.workforce.join();
}

/** @param share length of the pause as a share of the session timeout */
async function pause(cluster: Cluster, { name: victim, process }: Worker, kind: string, share: number): Promise<void> {
  const healed = cluster.faults.open({ kind, victim, isPause: true, isFatal: false });
  process.pause();
  await delay(share * cluster.options.sessionTimeoutMs);
  process.resume();
  healed();
}

async function cut({ faults }: Cluster, { name: victim, network }: Worker): Promise<void> {
  const healed = faults.open({ kind: 'cut', victim, ...HARMLESS });
  network.cut();
  healed();
}

async function blackhole(
  { faults, options }: Cluster,
  { name: victim, network }: Worker,
  way: 'both' | 'toServer' | 'toClient',
  random: Seeded,
): Promise<void> {
  const kind = { both: 'black hole', toServer: 'black hole to the server', toClient: 'black hole to the client' }[way];
  const healed = faults.open({ kind, victim, ...HARMLESS, isHeard: way === 'toClient' });
  network.blackhole(way);
  await delay(random.between(0.2, 2) * options.sessionTimeoutMs);
  await network.heal();
  healed();
}

async function slow({ faults }: Cluster, { name: victim, network }: Worker, random: Seeded): Promise<void> {
  const healed = faults.open({ kind: 'delay', victim, ...HARMLESS });
  network.delay(random.between(50, 400));
  await delay(random.between(1_000, 4_000));
  await network.heal();
  healed();
}

const SHORTEST_STEP_MS = 1_500;
const LONGEST_STEP_MS = 7_200_000;

/** Steps the wall clock, from seconds to hours, and back. */
async function stepClock(
  { faults }: Cluster,
  { name: victim, clock }: Worker,
  kind: 'clock ahead' | 'clock behind',
  random: Seeded,
): Promise<void> {
  if (clock === undefined) throw new Error(`${victim} has no clock of its own.`);
  const right = clock.offsetMs;
  const stepMs = Math.round(SHORTEST_STEP_MS * (LONGEST_STEP_MS / SHORTEST_STEP_MS) ** random.next());
  const healed = faults.open({ kind, victim, ...HARMLESS, keepsSession: true, isClock: true });
  await clock.set(right + (kind === 'clock ahead' ? stepMs : -stepMs));
  await delay(random.between(1_000, 8_000));
  await clock.set(right);
  healed();
}

const THROTTLED = -127;

/** Makes the servers refuse each write. */
async function throttle({ faults }: Cluster, { name: victim, network }: Worker, random: Seeded): Promise<void> {
  const healed = faults.open({ kind: 'throttled', victim, ...HARMLESS, keepsSession: true, retryMs: RETRY_MS });
  network.answerWith(THROTTLED);
  await delay(random.between(1_000, 4_000));
  await network.heal();
  healed();
}
