import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startZooKeeper } from '@test/support/zookeeper/zookeeper-server.js';
import { Mishaps } from '../tasks/mishaps.js';
import type { DemoEvent } from './demo-event.js';
import { SchedulerProcess } from './scheduler-process.js';
import { perform, type Stage } from './stage.js';

const LIMIT_MS = 85_000;

type TaskNews = Extract<DemoEvent, { kind: 'task' }>;

const zooKeeper = await startZooKeeper();
const directory = await mkdtemp(join(tmpdir(), 'elastic-job-demo-'));
try {
  const databaseFile = join(directory, 'statistics.db');
  await perform(databaseFile, LIMIT_MS, (stage) => playTasks(stage, zooKeeper.connect, databaseFile));
} finally {
  await rm(directory, { recursive: true });
  await zooKeeper.stop();
}
// Processes that a failed play has left must not keep this one alive.
process.exit();

/**
 * Schedulers A, B and C, each a process of its own, over a real ZooKeeper. A task, a child process, counts the cities
 * of each item. One task exceeds its memory, one is killed, and scheduler C is killed while its tasks run.
 */
async function playTasks(stage: Stage, servers: string, databaseFile: string): Promise<void> {
  const { database, fail, isComplete, ledger, tell } = stage;
  const news: TaskNews[] = [];
  const hear = (event: DemoEvent): void => {
    if (event.kind === 'task') news.push(event);
    stage.hear(event);
  };
  const schedulers = ['A', 'B', 'C'].map(
    (instance) =>
      [instance, { instance, servers, namespace: `elastic-job-demo-${process.pid}`, databaseFile }] as const,
  );
  const mishaps = await Mishaps.open(database);
  await mishaps.arrange('memory');
  await mishaps.arrange('kill');
  const processes = new Map(
    schedulers.map(([instance, settings]) => [instance, new SchedulerProcess(settings, hear, fail)]),
  );

  try {
    await ledger.until('a task uses too much memory', () => news.some(({ state }) => state === 'FAILED'));
    const { detail, instance, item } = news.find(({ state }) => state === 'FAILED')!;
    tell(`The task of item ${item} has FAILED on ${instance}: ${detail}.`);

    await ledger.until('a task waits to be killed', async () => (await mishaps.victim()) !== undefined);
    process.kill((await mishaps.victim())!, 'SIGKILL');
    await ledger.until('the killed task is seen to be', () => news.some(({ state }) => state === 'KILLED'));
    tell(`The task of item ${news.find(({ state }) => state === 'KILLED')!.item} was KILLED.`);

    await ledger.until('scheduler C has a task that runs', () => running(news, 'C').length > 0);
    const items = running(news, 'C');
    processes.get('C')!.kill();
    tell(`Scheduler C is killed (SIGKILL). Its tasks end with it: items ${items.join(' and ')}.`);
    const isRepeated = (one: number) =>
      news.some(
        (other) => other.item === one && other.instance !== 'C' && other.launch > 1 && other.state === 'RUNNING',
      );
    await ledger.until('others have launched them again', () => items.every(isRepeated));
    tell('Its items were launched again by the others.');

    await ledger.until('all cities are counted', isComplete);
    tell(summaryOf(news));
  } finally {
    await Promise.all([...processes.values()].map((one) => one.leave()));
  }
}

/** Items whose latest task on the scheduler runs. */
function running(news: readonly TaskNews[], instance: string): readonly number[] {
  const latest = new Map(news.filter((one) => one.instance === instance).map((one) => [one.item, one.state]));
  return [...latest].flatMap(([item, state]) => (state === 'RUNNING' ? [item] : []));
}

function summaryOf(news: readonly TaskNews[]): string {
  const count = (state: string) => news.filter((one) => one.state === state).length;
  const again = news.filter(({ launch, state }) => state === 'LAUNCHED' && launch > 1).length;
  return (
    `\n${count('LAUNCHED')} tasks were launched, ${again} of them again: ${count('FINISHED')} FINISHED, ` +
    `${count('FAILED')} FAILED, ${count('KILLED')} KILLED; others ended with scheduler C.`
  );
}
