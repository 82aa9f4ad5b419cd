import { expect, it } from 'vitest';
import { hostMonotonicNow } from '../../../clock/index.js';
import { VirtualClock } from '../../../testing/index.js';
import { SupervisedTasks } from './supervised-tasks.js';
import type { SupervisorReport } from './supervisor-messages.js';

it('starts no task for a scheduler that stood still beyond its lease as it gave the order', () => {
  const reports: SupervisorReport[] = [];
  const supervision = {
    clock: new VirtualClock(),
    outputLimit: 1,
    deathSignal: { applied: <Order>(order: Order) => order },
    report: (report: SupervisorReport) => void reports.push(report),
  };
  const tasks = new SupervisedTasks(supervision, 1_000);

  const program = {
    command: '/no/such/program',
    args: [],
    env: {},
    workingDirectory: '/',
    graceMs: 1_000,
    memoryMb: 1,
  };
  const grant = { at: hostMonotonicNow() - 5_000, heldForMs: 4_000, lossGraceMs: 1_000 };
  tasks.take({ kind: 'start', id: 'a', ...program, ...grant });

  const detail = 'the scheduler was silent for longer than its lease';
  expect(reports).toMatchObject([{ kind: 'ended', id: 'a', ending: { cause: 'lost', detail } }]);
});
