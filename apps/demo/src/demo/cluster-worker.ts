import { openStatisticsDatabase } from '../cities/statistics.database.js';
import type { DemoEvent } from './demo-event.js';
import { startInstance } from './instance.js';
import type { WorkerCommand, WorkerSettings } from './worker-process.js';

/** Short, so that the audience sees a takeover soon. */
const SESSION_TIMEOUT_MS = 4_000;

const { instance, servers, namespace, databaseFile }: WorkerSettings = JSON.parse(process.argv[2]!);
const hear = (event: DemoEvent) => void process.send?.(event);
const database = await openStatisticsDatabase(databaseFile);
const application = await startInstance(
  {
    registry: { type: 'zookeeper', servers, namespace, sessionTimeoutMs: SESSION_TIMEOUT_MS },
    drainTimeoutMs: 2_000,
  },
  database,
  { instance, hear },
);

process.on('message', (command: WorkerCommand) => void (command === 'freeze' ? freeze() : leave()));
// The demo has ended, so the worker leaves too.
process.on('disconnect', () => void leave());

/**
 * Stops the whole process until SIGCONT comes. Never within a transaction: SQLite has one write lock for the whole
 * file, so a process that sleeps with it would block all others.
 */
async function freeze(): Promise<void> {
  await database.connection().execute(async () => {
    process.kill(process.pid, 'SIGSTOP');
  });
}

async function leave(): Promise<void> {
  await application.close();
  await database.destroy();
  process.exit(0);
}
