/**
 * Entry of the process that supervises the tasks of `LocalProcesses`, published as
 * `nestjs-elastic-job/task-supervisor`. It acts when it is loaded.
 *
 * It ends only when its channel closes, which happens with any end of its scheduler. It ends all processes that it has
 * started before it ends itself.
 */
import { Socket } from 'node:net';
import { SystemClock } from '../../../clock/index.js';
import { isObject } from '../../../domain/index.js';
import { parseLine, readLines, writeLine } from '../lines.js';
import { DeathSignal } from './programs.js';
import { SupervisedTasks } from './supervised-tasks.js';
import {
  SUPERVISOR_CHANNEL,
  type SupervisorOrder,
  type SupervisorReport,
  type SupervisorSettings,
} from './supervisor-messages.js';

/** Longest wait for the end of killed processes, in milliseconds. */
const LAST_WAIT_MS = 2_000;

const settings: SupervisorSettings = JSON.parse(process.argv[2] ?? '{}');
const clock = new SystemClock();
const scheduler = new Socket({ fd: SUPERVISOR_CHANNEL });
const deathSignal = new DeathSignal();
const tasks = new SupervisedTasks(
  { clock, deathSignal, outputLimit: settings.outputLimit, report: (report) => writeLine(scheduler, report) },
  settings.memoryPollMs,
);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
scheduler.on('error', () => {}); // The channel closes as well.
scheduler.once('end', () => scheduler.destroy());
scheduler.once('close', () => {
  clock.setTimer(LAST_WAIT_MS, () => process.exit(1));
  void tasks.killAll().then(() => process.exit(0));
});
readLines(scheduler, Infinity, (line) => tasks.take(orderIn(line)));
writeLine(scheduler, { kind: 'ready', endsOrphans: deathSignal.isThere } satisfies SupervisorReport);

/** Only the scheduler writes to the channel. */
function orderIn(line: string): SupervisorOrder {
  const order: unknown = parseLine(line);
  if (!isOrder(order)) throw new Error('The scheduler has sent a line that is no order.');
  return order;
}

function isOrder(value: unknown): value is SupervisorOrder {
  return isObject(value) && 'kind' in value;
}
