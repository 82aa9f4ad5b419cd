import type { RunRow } from '../../../src/console/contract/history-answers.js';

/** A run that has succeeded. */
export const RUN: RunRow = {
  id: '1',
  job: 'settle-orders',
  item: 0,
  fireTime: '2026-11-30T02:00:00.000Z',
  origin: 'schedule',
  source: 'NORMAL_TRIGGER',
  outcome: 'succeeded',
  cause: null,
  error: null,
  run: 'r',
  token: '3026418951671',
  epoch: 41,
  instance: 'a',
  ip: '10.0.3.12',
  version: '1.43.1',
  task: 't',
  launch: 1,
  begunAt: '2026-11-30T02:00:00.000Z',
  settledAt: '2026-11-30T02:00:10.000Z',
  durationMs: 10_000,
  latenessMs: 9,
  attempts: 1,
};
