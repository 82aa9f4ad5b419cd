import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import type { ExecutionQuery, ExecutionTrace, RunHistory } from '../../tracing/index.js';
import { type FailedRun, RunErrors } from './run-errors.js';

const BEGUN = Date.parse('2030-01-01T00:00:00Z');
const OWN = '10.0.0.1@-@1';

function failed(item: number, begunAt = BEGUN): FailedRun {
  return { item, run: `run ${begunAt}`, instanceId: OWN, begunAt, settledAt: begunAt + 2_000 };
}

function row(item: number, cause: string, startTime = BEGUN, instance = OWN): ExecutionTrace {
  return {
    id: cause,
    jobName: 'settle',
    taskId: `settle@-@0,1@-@READY@-@${instance}`,
    hostname: 'host',
    ip: '10.0.0.1',
    shardingItem: item,
    source: 'NORMAL_TRIGGER',
    isSuccess: false,
    failureCause: cause,
    startTime: new Date(startTime),
    completeTime: new Date(startTime + 1_000),
  };
}

/** A history of these rows, that notes what it is asked for. */
function historyOf(rows: ExecutionTrace[]) {
  const clock = new VirtualClock();
  const asked: ExecutionQuery[] = [];
  const executions = async (query: ExecutionQuery) => {
    asked.push(query);
    return { rows, cursor: undefined };
  };
  // oxlint-disable-next-line no-unsafe-type-assertion -- nothing else of it is used
  const errors = new RunErrors({ clock, history: { open: async () => ({ executions }) as unknown as RunHistory } });
  return { asked, clock, errors, rows };
}

describe('errors of runs', () => {
  it('are those of the same item, instance and time, by one query for a page', async () => {
    const later = BEGUN + 60_000;
    const { asked, errors } = historyOf([
      row(0, 'of a later run', later + 500),
      row(0, 'of the run', BEGUN + 10),
      row(0, 'of another instance', BEGUN, '10.0.0.2@-@1'),
      row(1, 'of item 1', later + 10),
    ]);
    expect(await errors.of('settle', [failed(0), failed(1, later), failed(2)])).toEqual(
      new Map([
        [0, 'of the run'],
        [1, 'of item 1'],
      ]),
    );
    expect(asked).toMatchObject([{ jobName: 'settle', isSuccess: false, isComplete: true, limit: 1_000 }]);
  });

  it('are asked for once, and again after a while if the history did not have them yet', async () => {
    const { asked, clock, errors, rows } = historyOf([]);
    expect(await errors.of('settle', [failed(0)])).toEqual(new Map());
    rows.push(row(0, 'written behind'));
    expect(await errors.of('settle', [failed(0)])).toEqual(new Map());
    await clock.advance(5_000);
    for (let count = 0; count < 3; count += 1) {
      expect(await errors.of('settle', [failed(0)])).toEqual(new Map([[0, 'written behind']]));
    }
    expect(asked).toHaveLength(2);
  });

  it('are not known without a history, and while it does not answer', async () => {
    const clock = new VirtualClock();
    const none = new RunErrors({ clock, history: { open: () => Promise.reject(new Error('there is none')) } });
    expect(await none.of('settle', [failed(0)])).toEqual(new Map());
    const hanging = new RunErrors({ clock, history: { open: () => new Promise(() => {}) } });
    const asked = hanging.of('settle', [failed(0)]);
    await clock.advance(1_000);
    expect(await asked).toEqual(new Map());
  });
});
