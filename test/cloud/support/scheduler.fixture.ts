// A scheduler in a process of its own. It runs the programs that it is sent, and reports their states.
import { rmdirSync } from 'node:fs';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { isTaskEnd, LocalProcesses, type TaskHandle } from '../../../libs/elastic-job/src/cloud/index.js';
import { HELD, orderOf } from '../../contract/tasks/harness.js';
import type { SchedulerOrder } from './scheduler.js';

const clock = new SystemClock();
process.once('message', (order: SchedulerOrder) => void run(order));
process.send?.('listens');

async function run({ supervisor, programs, env, graceMs, ...rest }: SchedulerOrder): Promise<void> {
  const { goneDirectory, workingDirectory, ...held } = rest;
  if (goneDirectory !== undefined) {
    process.chdir(goneDirectory);
    rmdirSync(goneDirectory);
  }
  const { heldForMs, lossGraceMs = HELD.lossGraceMs } = held;
  const backend = new LocalProcesses({ supervisorUrl: new URL(supervisor), maxTasks: programs.length });
  await backend.start({ clock, cluster: 'contract', emit: () => {} });
  const link = { ...HELD, heldForMs: () => heldForMs, lossGraceMs };
  for (const [item, command] of programs.entries()) {
    const key = { cluster: 'contract', jobName: 'settle-orders', item };
    const claimed = await backend.claim(orderOf({ command, env, workingDirectory }, { key, graceMs }));
    if (claimed.kind !== 'launched') throw new Error(claimed.kind);
    await backend.open(claimed.handle, link);
    await untilReady(backend, claimed.handle);
    void tellEnd(backend, claimed.handle);
  }
  process.send?.('ready');
}

async function untilReady(backend: LocalProcesses, handle: TaskHandle): Promise<void> {
  while (!(await backend.tail(handle, 1_000))?.includes('ready')) await clock.sleep(10);
}

async function tellEnd(backend: LocalProcesses, handle: TaskHandle): Promise<void> {
  for await (const state of backend.watch(handle, new AbortController().signal)) {
    if (isTaskEnd(state)) process.send?.({ item: handle.key.item, state });
  }
}
