import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startZooKeeper } from '@test/support/zookeeper/zookeeper-server.js';
import { perform, type Stage } from './stage.js';
import { WorkerProcess } from './worker-process.js';

const LIMIT_MS = 110_000;
/** Writes of a worker before its mishap: it has begun all of its items, and finished none. */
const WRITES_BEFORE_THE_STOP = 6;
const WRITES_BEFORE_THE_KILL = 12;

const zooKeeper = await startZooKeeper();
const directory = await mkdtemp(join(tmpdir(), 'elastic-job-demo-'));
try {
  const databaseFile = join(directory, 'statistics.db');
  await perform(databaseFile, LIMIT_MS, (stage) => playCluster(stage, zooKeeper.connect, databaseFile));
} finally {
  await rm(directory, { recursive: true });
  await zooKeeper.stop();
}
// The remains of a failed play must not keep the process alive.
process.exit();

/**
 * Workers A, B and C, each a process of its own, over a real ZooKeeper. B is stopped for longer than its session lives,
 * and continues after its items have moved on. C is killed. D joins late.
 */
async function playCluster(stage: Stage, servers: string, databaseFile: string): Promise<void> {
  const { ledger, isComplete, hear, tell, fail } = stage;
  const namespace = `elastic-job-demo-${process.pid}`;
  const workers: WorkerProcess[] = [];
  const start = (instance: string): WorkerProcess => {
    const worker = new WorkerProcess({ instance, servers, namespace, databaseFile }, hear, fail);
    workers.push(worker);
    return worker;
  };

  const [, b, c] = [start('A'), start('B'), start('C')];
  try {
    await ledger.until('B is in mid-run', () => ledger.writes('B').length >= WRITES_BEFORE_THE_STOP);
    b.send('freeze');
    tell('B is stopped (SIGSTOP).');

    await ledger.until('C is in mid-run', () => ledger.writes('C').length >= WRITES_BEFORE_THE_KILL);
    c.signal('SIGKILL');
    tell('C is killed (SIGKILL).');
    start('D');

    const heldByB = new Set(ledger.writes('B').map(({ item }) => item));
    const isTakenOver = (item: number) => ledger.newestWrite(item)?.instance !== 'B';
    await ledger.until("B's items are taken over", () => [...heldByB].every(isTakenOver));
    b.signal('SIGCONT');
    tell('B goes on where it stopped (SIGCONT); its session is over.');

    await ledger.until('a stale write is refused', () => ledger.refused > 0);
    tell('A write of B was refused: its items are in other hands.');
    await ledger.until('B has joined again', () => ledger.hasJoined('B again'));
    tell('B has learnt of it, and joined again as a new instance.');

    await ledger.until('D has counted cities', () => ledger.added('D') > 0);
    await ledger.until('all cities are counted', isComplete);
  } finally {
    await Promise.all(workers.map((worker) => worker.leave()));
  }
}
