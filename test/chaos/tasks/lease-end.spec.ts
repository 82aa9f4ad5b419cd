import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { killAll } from '../../../libs/elastic-job/src/cloud/process/process-table.js';
import { connectRawClient, type Ensemble, OpenHandles, startEnsemble } from '@test/support/faults/index.js';
import { clusterOptions, TICK_MS } from '../cluster/run-chaos.js';
import { Cluster } from '../cluster/stage/cluster.js';
import type { Worker } from '../cluster/stage/worker.js';
import { processFaults } from './check-processes.js';
import { type ProcessLife, ProcessWatch } from './process-watch.js';
import { buildTaskPrograms } from './run-tasks.js';
import { DEAF_JOB } from './task-line.js';

/** Longer than any of these tests. */
const WORK_MS = 120_000;
const LIMIT_MS = 30_000;
/** Two such waits, and the start of a cluster. */
const MOST_MS = 3 * LIMIT_MS;
const SEEN_MS = 500;

const shared = new OpenHandles();
const handles = new OpenHandles();
let ensemble: Ensemble;
let programs: Awaited<ReturnType<typeof buildTaskPrograms>>;
beforeAll(async () => {
  programs = await buildTaskPrograms();
  await shared.add({ stop: () => programs.remove() });
  ensemble = await shared.add(startEnsemble(3, { settings: { tickTime: TICK_MS } }));
}, 60_000);
afterAll(() => shared.stopAll());
afterEach(() => handles.stopAll());

describe('a task that ignores SIGTERM', () => {
  it.each<[string, Strike]>([
    ['is cut off from ZooKeeper', ({ network }) => network.blackhole('both')],
    ['stands still', ({ process }) => process.pause()],
    ['is killed', ({ process }) => killAll([process.pid])],
    ['leaves, and does not wait any longer', (victim, { workforce }) => void workforce.leave(victim)],
    ['is removed by an operator', (victim, cluster) => void removeInstance(victim, cluster)],
  ])(
    'is gone, with its child, before the next one of its item begins if its scheduler %s',
    async (_, strike) => {
      const lives = await livesAround(strike);

      expect(processFaults(lives).map(({ text }) => text)).toEqual([]);
    },
    MOST_MS,
  );

  it(
    'is gone before the next one of its item begins if scheduler and supervisor are killed together',
    async () => {
      const lives = await livesAround(({ process }) => killAll([...supervisorsOf(process.pid), process.pid]));

      // The death signal is the first process's alone.
      const first = lives.filter(({ begin, pid }) => begin.pid === pid);
      expect(processFaults(first).map(({ text }) => text)).toEqual([]);
    },
    MOST_MS,
  );
});

type Strike = (victim: Worker, cluster: Cluster) => void;

/** The processes of an item whose scheduler is struck, until the next task of the item has begun. */
async function livesAround(strike: Strike): Promise<readonly ProcessLife[]> {
  const { cluster, watch } = await start();
  const former = await until('a task with its child', () => watch.living.find(({ begin, pid }) => pid !== begin.pid));

  strike(cluster.workforce.byName(former.begin.worker)!, cluster);
  await until('the next task of the item', () => watch.lives.find((life) => isNext(former, life)));
  // A process that lives on is seen for this long.
  await delay(SEEN_MS);
  return watch.lives.filter(({ begin }) => begin.item === former.begin.item);
}

async function start(): Promise<{ readonly cluster: Cluster; readonly watch: ProcessWatch }> {
  const keep = await mkdtemp(join(tmpdir(), 'lease-end-'));
  await handles.add({ stop: () => rm(keep, { recursive: true, maxRetries: 5 }) });
  const watch = new ProcessWatch(keep);
  await handles.add({ stop: () => watch.stop() });
  const given = {
    namespace: `lease-end-${Date.now()}`,
    jobs: [{ name: DEAF_JOB, cron: '0/5 * * * * ?', periodMs: 5_000, items: 2 }],
    workers: 2,
    version: { leastMs: WORK_MS, mostMs: WORK_MS, version: '' },
  };
  const cluster = await Cluster.start({ ...clusterOptions({ kind: 'node', programs, ensemble }, given), keep });
  await handles.add({ stop: () => cluster.stop() });
  return { cluster, watch };
}

function isNext({ begin }: ProcessLife, next: ProcessLife): boolean {
  return next.begin.item === begin.item && next.begin.worker !== begin.worker;
}

async function removeInstance({ ip }: Worker, { options }: Cluster): Promise<void> {
  const client = await handles.add(connectRawClient(ensemble.members[0]!.port));
  const instances = `/${options.namespace}/${DEAF_JOB}/instances`;
  const id = (await client.children(instances)).find((name) => name.startsWith(`${ip}@`));
  await client.remove(`${instances}/${id}`);
}

/** The processes that a scheduler has started itself. */
function supervisorsOf(scheduler: number): readonly number[] {
  return readFileSync(`/proc/${scheduler}/task/${scheduler}/children`, 'utf8').trim().split(' ').map(Number);
}

async function until<T>(what: string, find: () => T | undefined): Promise<T> {
  await expect.poll(find, { timeout: LIMIT_MS, message: what }).toBeDefined();
  return find()!;
}
