import { expect, it } from 'vitest';
import { formatRunRecord, PROTOCOL, type RunRecord } from '../../../libs/elastic-job/src/domain/index.js';
import { History } from '../history.js';
import type { Fact, NodeWrite, TaskFact } from '../log.js';
import { LONGEST_TIDYING_MS } from '../world/world.js';
import { changed, created, deleted, idOf, JOB, sessionOf, START } from './hand-made-history.js';
import { check35NothingLeft } from './tasks.js';

const RECORD = `/${JOB}/sharding/3/record`;
const INSTANCE = `/${JOB}/instances/${idOf(0)}`;
const SERVER = `/${JOB}/servers/10.0.0.1`;
const TARGET = { fireTime: START, origin: 'schedule' } as const;
const NEXT = { fireTime: START + 10_000, origin: 'schedule' } as const;
const TASK = { jobName: JOB, item: 3, ...TARGET, launch: 1, uid: 'task-1', run: 'run-1', token: 1n } as const;
const CLOSING = 400;

const recordOf = (given: Partial<RunRecord> = {}): string =>
  formatRunRecord(
    { run: 'run-1', by: idOf(0), target: TARGET, attempt: 1, begunAt: START, launch: 1, isAdoptable: true, ...given },
    PROTOCOL,
  );
const handedOver = { at: START + 2_000, outcome: 'aborted', cause: 'handed-over' } as const;
const over = { at: START + 2_000, outcome: 'failed' } as const;
const gone: Step = [10, deleted(INSTANCE)];

/** A write, in seconds after the begin. */
type Step = readonly [seconds: number, write: NodeWrite];

it.each<[string, readonly Step[]]>([
  ['all instances have left the job', [gone]],
  ['all servers are disabled', [[10, changed(SERVER, 'DISABLED')]]],
  [
    'its run was handed over as the last instance left',
    [[5, changed(RECORD, recordOf({ settled: handedOver }))], gone],
  ],
  ['another instance has just joined', [gone, [CLOSING - 100, created(INSTANCE)]]],
])('lets a gated task wait for its adoption if %s', (_, steps) => {
  expect(judge(steps, ['launched'])).toEqual([]);
});

it.each<[string, readonly Step[], number]>([
  ['an instance could adopt it', [], 1],
  ['an instance that joined later could', [gone, [100, created(INSTANCE)]], 100],
  ['its run is over', [gone, [20, changed(RECORD, recordOf({ settled: over }))]], 20],
  ['its target was launched again', [gone, [20, changed(RECORD, recordOf({ run: 'run-2', launch: 2 }))]], 20],
  ['another fire time has begun', [gone, [20, changed(RECORD, recordOf({ target: NEXT }))]], 20],
  ['its run cannot be adopted', [gone, [20, changed(RECORD, recordOf({ isAdoptable: false }))]], 20],
  ['its record is gone', [gone, [20, deleted(RECORD)]], 20],
])('finds a gated task that is left although %s', (_, steps, since) => {
  const message = `task task-1 of ${JOB}/3 for 00:00:00 of schedule was left gated, since ${timeAt(since)}`;
  expect(judge(steps, ['launched'])).toEqual([message]);
});

it('lets an opened task run on while its run is open, and finds it once its run is over', () => {
  const settled: Step = [20, changed(RECORD, recordOf({ settled: over }))];

  expect(judge([gone], ['launched', 'opened'])).toEqual([]);
  expect(judge([gone, settled], ['launched', 'opened'])).toHaveLength(1);
});

/** Messages about the task of a run that begins in the first second. */
function judge(steps: readonly Step[], lives: readonly TaskFact['what'][]): readonly string[] {
  const begin = [created(SERVER, 'ENABLED'), created(INSTANCE), created(RECORD, recordOf())];
  const facts: readonly (readonly [number, Fact])[] = [
    ...begin.map((write): [number, Fact] => [0, committed(write)]),
    ...lives.map((what): [number, Fact] => [1, { kind: 'task', what, ...TASK }]),
    ...steps.map(([seconds, write]): [number, Fact] => [seconds, committed(write)]),
    [CLOSING, { kind: 'closing' }],
  ];
  const entries = facts.map(([seconds, fact], index) => ({
    at: START + seconds * 1_000,
    zxid: BigInt(index),
    ...fact,
  }));
  const history = new History({ jobs: [], latencyMs: 0, sessionTimeoutMs: 4_000 }, entries);
  expect(CLOSING * 1_000).toBeGreaterThan(2 * LONGEST_TIDYING_MS);
  return check35NothingLeft(history).map(({ message }) => message);
}

function committed(write: NodeWrite): Fact {
  return { kind: 'commit', session: sessionOf(0), operations: [], writes: [write] };
}

function timeAt(seconds: number): string {
  return new Date(START + seconds * 1_000).toISOString().slice(11, 23);
}
