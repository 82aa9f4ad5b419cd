import type {
  InstanceAnswer,
  ItemAnswer,
  LastRunAnswer,
  TaskAnswer,
} from '../../../src/console/contract/job-answers.js';

/** An item that is owned, and has not run yet. */
export const ITEM: ItemAnswer = {
  item: 0,
  parameter: null,
  status: 'PENDING',
  owner: 'a',
  holder: null,
  failover: false,
  queued: null,
  misfired: false,
  disabled: null,
  task: null,
  lastRun: null,
  why: null,
};

export const RUN: LastRunAnswer = {
  run: 'r',
  instance: 'a',
  fireTime: '2026-11-30T02:00:00.000Z',
  origin: 'schedule',
  outcome: null,
  cause: null,
  launch: null,
  token: null,
  begunAt: '2026-11-30T02:00:00.000Z',
  settledAt: null,
  error: null,
};

export const TASK: TaskAnswer = {
  id: 't',
  backend: 'local',
  state: 'RUNNING',
  since: '2026-11-30T02:00:00.000Z',
  launch: 1,
  node: null,
  detail: null,
};

export function memberOf(instance: string): InstanceAnswer {
  return { instance, ip: instance, java: false, version: null, leader: false, draining: false, items: [] };
}
