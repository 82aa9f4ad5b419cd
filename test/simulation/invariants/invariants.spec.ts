import { describe, expect, it } from 'vitest';
import { formatRunRecord, PROTOCOL } from '../../../libs/elastic-job/src/domain/index.js';
import {
  changed,
  configOf,
  created,
  deleted,
  HandMadeHistory,
  idOf,
  ITEMS,
  JOB,
  sessionOf,
  START,
} from './hand-made-history.js';
import { INVARIANTS } from './index.js';

const healthy = HandMadeHistory.healthy.bind(HandMadeHistory);
const withChild = HandMadeHistory.withChild.bind(HandMadeHistory);
const QUEUED = '/job/leader/failover/items/0';
const trigger = { jobName: JOB, fireTime: START + 30_000, origin: 'schedule', source: 'NORMAL_TRIGGER' } as const;

const REMOVAL = { kind: 'operation', name: 'remove', jobName: JOB, instance: 0 } as const;

function dropped(cause: 'overflow' | 'cancelled' = 'overflow'): HandMadeHistory {
  const target = { fireTime: trigger.fireTime, origin: trigger.origin };
  const settled = { at: START, outcome: 'aborted', cause } as const;
  const record = formatRunRecord({ run: '7', by: idOf(0), target, attempt: 1, begunAt: START, settled }, PROTOCOL);
  return healthy().commit(34, sessionOf(1), [changed(`${ITEMS}/0/record`, record)]);
}

/** One instance has yet to take an operator's request when the next one comes. */
function askedTwice(): HandMadeHistory {
  const request = `/job/trigger/${idOf(0)}`;
  return healthy()
    .commit(22, 'operator', [created(request, '{"id":"t0"}')])
    .note(22.01, { kind: 'operation', name: 'trigger', jobName: JOB, id: 't1', outcome: 'done' })
    .commit(22.02, sessionOf(0), [deleted(request)]);
}

/** A job was started for second 30 before an item of its parent was begun that was not there between these seconds. */
function withoutItem(from: number, to: number): HandMadeHistory {
  return withChild('an item to come')
    .commit(from, sessionOf(0), [deleted(`${ITEMS}/1`)])
    .commit(to, sessionOf(0), [created(`${ITEMS}/1`)]);
}

/** The run of a task is cancelled, its holder dies, and the run of this launch that claims the item is aborted too. */
function afterCancelledTask(launch: number): HandMadeHistory {
  return healthy((item, fireTime) => item === 0 && fireTime === 30)
    .begin(30.01, 0, { by: 0, fireTime: 30, endsAt: Infinity, launch: 1 })
    .note(31, { kind: 'operation', name: 'cancel', jobName: JOB, item: 0, id: '10', outcome: 'done' })
    .note(31.1, { kind: 'aborted', run: 10, reason: 'CancelledError' })
    .begin(35, 0, { by: 1, fireTime: 30, isClaim: true, endsAt: Infinity, launch })
    .note(35.1, { kind: 'aborted', run: 11, reason: 'CancelledError' });
}

/** A history that breaks the promise of this number. */
const BROKEN: readonly (readonly [number, string, () => HandMadeHistory])[] = [
  [
    1,
    'two members run an item at once',
    () => healthy().begin(32, 0, { by: 0, fireTime: 30, endsAt: 38 }).begin(35, 0, { by: 1, fireTime: 30 }),
  ],
  [
    1,
    'an item begins before the handlers of a shut-down instance had their grace',
    () =>
      healthy()
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: 48 })
        .commit(33, 'operator', [deleted(`/job/instances/${idOf(0)}`)])
        .begin(35, 0, { by: 1, fireTime: 30, isClaim: true }),
  ],
  [
    1,
    'a process begins what it still runs, of another session',
    () =>
      healthy()
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: 48 })
        .commit(33, sessionOf(0), [deleted(`/job/instances/${idOf(0)}`)])
        .begin(35, 0, { by: 0, fireTime: 30, isClaim: true }),
  ],
  [
    2,
    'an effect of an older token is accepted',
    () =>
      healthy()
        .note(33, { kind: 'effect', run: 5, token: 5n, accepted: true })
        .note(34, { kind: 'effect', run: 5, token: 4n, accepted: true }),
  ],
  [3, "a fire time is nobody's", () => healthy((item, fireTime) => item === 1 && fireTime === 30)],
  [
    3,
    'a fire time is run late',
    () => healthy((item, fireTime) => item === 1 && fireTime === 30).begin(33, 1, { by: 1, fireTime: 30 }),
  ],
  [4, 'an item runs for an instant that is no fire time', () => healthy().begin(33, 0, { by: 0, fireTime: 33 })],
  [
    4,
    'an item is failed over that nobody has queued',
    () => healthy().begin(33, 0, { by: 0, fireTime: 30, isClaim: true }),
  ],
  [
    4,
    'what is resident waits for failover',
    () => HandMadeHistory.resident().commit(25, sessionOf(0), [created(QUEUED)]),
  ],
  [
    4,
    'what is resident runs for a fire time',
    () => HandMadeHistory.resident((item) => item === 1).begin(31, 1, { by: 1, fireTime: 30 }),
  ],
  [
    5,
    'an owner has been gone for long',
    () => healthy().commit(15, 'operator', [created(`${ITEMS}/1/instance`, 'nobody')]),
  ],
  [6, 'an entry waits and waits', () => healthy().commit(20, sessionOf(0), [created(QUEUED)])],
  [
    7,
    'owners change in quiet times',
    () => healthy().commit(25, sessionOf(0), [created(`${ITEMS}/1/instance`, idOf(0))]),
  ],
  [
    7,
    'owners are not those that the strategy gives',
    () => {
      const text = configOf(undefined, { strategy: 'AVG_ALLOCATION' });
      return healthy().commit(1, 'operator', [changed('/job/config', text)]);
    },
  ],
  [
    8,
    'somebody takes the mark of a living holder',
    () =>
      healthy()
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: Infinity })
        .commit(33, sessionOf(1), [deleted(`${ITEMS}/0/running`)]),
  ],
  [
    9,
    'somebody plans who does not lead',
    () => healthy().commit(25, sessionOf(1), [created(`${ITEMS}/1/instance`, idOf(1))]),
  ],
  [
    10,
    'a run mixes two configurations',
    () => healthy().begin(33, 0, { by: 0, fireTime: 30, run: { parameter: 'v7' } }),
  ],
  [
    11,
    'a disabled item is begun',
    () => healthy().note(22, { kind: 'operation', name: 'disable item', jobName: JOB, item: 0, outcome: 'done' }),
  ],
  [
    11,
    "an operator's trigger is begun by nobody",
    () => healthy().note(22, { kind: 'operation', name: 'trigger', jobName: JOB, id: 't1', outcome: 'done' }),
  ],
  [
    11,
    'a run is cancelled that nobody has named',
    () =>
      healthy()
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: 38 })
        .note(33, { kind: 'operation', name: 'cancel', jobName: JOB, item: 0, id: '5', outcome: 'done' })
        .note(34, { kind: 'aborted', run: 11, reason: 'CancelledError' }),
  ],
  [11, 'a run is cancelled since an earlier launch of its target was', () => afterCancelledTask(2)],
  [
    11,
    'a run goes on that was cancelled',
    () =>
      healthy()
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: 38 })
        .note(33, { kind: 'operation', name: 'cancel', jobName: JOB, item: 0, id: '11', outcome: 'done' }),
  ],
  [
    11,
    'a cancelled run is told as a success',
    () =>
      healthy()
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: 34 })
        .note(33, { kind: 'operation', name: 'cancel', jobName: JOB, item: 0, id: '11', outcome: 'done' })
        .note(33.1, { kind: 'aborted', run: 11, reason: 'CancelledError' }),
  ],
  [
    11,
    'an instance goes on that was shut down',
    () => healthy().commit(25, 'operator', [deleted(`/job/instances/${idOf(0)}`)]),
  ],
  [
    11,
    'an instance comes back that was shut down',
    () =>
      healthy((item, fireTime) => item === 0 && fireTime > 20)
        .commit(25, 'operator', [deleted(`/job/instances/${idOf(0)}`)])
        .commit(26, sessionOf(0), [created(`/job/instances/${idOf(0)}`)]),
  ],
  [11, 'a run takes too long', () => healthy().begin(32, 0, { by: 0, fireTime: 30, endsAt: 56 })],
  [12, 'a leaver begins', () => healthy().note(22, { kind: 'leaving', instance: 0 })],
  [
    13,
    'what was missed while the item was busy is not caught up on',
    () =>
      healthy((item, fireTime) => item === 1 && fireTime >= 20).begin(20.02, 1, { by: 1, fireTime: 20, endsAt: 35 }),
  ],
  [14, 'an instance is left behind', () => healthy().note(70, { kind: 'over', pendingTimers: 0 })],
  [14, 'a timer is left behind', () => healthy().note(70, { kind: 'over', pendingTimers: 1 })],
  [15, 'a run is never told of', () => healthy().begin(33, 0, { by: 0, fireTime: 30, run: { fireTime: START } })],
  [
    15,
    'a handler heeds no signal, and nobody is told',
    () =>
      healthy()
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: 38 })
        .note(33, { kind: 'aborted', run: 11, reason: 'JobTimeoutError' }),
  ],
  [15, 'what is dropped is not told', dropped],
  [16, 'an item does not run again', () => healthy((item) => item === 1)],
  [16, 'what is resident stands still', () => HandMadeHistory.resident((item) => item === 1)],
  [
    17,
    'a session ends under a handler',
    () =>
      healthy()
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: 38 })
        .commit(34, sessionOf(0), [deleted(`/job/instances/${idOf(0)}`)]),
  ],
  [
    17,
    'the registry is silent for long under a handler',
    () =>
      healthy()
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: 38 })
        .note(33, { kind: 'session', instance: 0, session: sessionOf(0), state: 'SUSPENDED' }),
  ],
  [
    18,
    'an entry goes that somebody is owed',
    () =>
      healthy()
        .begin(52, 0, { by: 0, fireTime: 50, endsAt: Infinity })
        .commit(53, sessionOf(0), [created(QUEUED)])
        .commit(54, sessionOf(1), [deleted(QUEUED)]),
  ],
  [
    18,
    'more wait than may',
    () =>
      healthy().commit(
        25,
        sessionOf(0),
        [created(QUEUED), created('/job/leader/failover/items/1')],
        [{ kind: 'check', path: '/job/leader/election/term', version: 0 }],
      ),
  ],
  [18, 'what was dropped is repeated', () => dropped().begin(35, 0, { by: 1, fireTime: 30, isClaim: true })],
  [
    19,
    'a plan of an earlier term is committed',
    () =>
      healthy().commit(
        25,
        sessionOf(0),
        [created(`${ITEMS}/1/instance`, idOf(1))],
        [{ kind: 'check', path: '/job/leader/election/term', meant: 7 }],
      ),
  ],
  [
    20,
    "an instance takes what has long been another's",
    () =>
      healthy().note(30.02, {
        kind: 'event',
        instance: 0,
        wall: START + 30_020,
        event: { kind: 'triggered', trigger, taskId: 'task', items: [1] },
      }),
  ],
  [21, 'a target is begun again', () => healthy().begin(33, 0, { by: 0, fireTime: 30 })],
  [
    21,
    'a target is begun again that a clock had begun a second early for an item that a smaller total ended',
    () =>
      healthy((item, fireTime) => item === 0 && fireTime === 30)
        .begin(29, 0, { by: 0, fireTime: 30, endsAt: 29.1 })
        .commit(29.3, 'x', [deleted(`${ITEMS}/0/record`)])
        .commit(29.6, 'x', [created(`${ITEMS}/0/record`)])
        .begin(33, 0, { by: 1, fireTime: 30 }),
  ],
  [
    22,
    'a mark outlives its holder',
    () =>
      healthy((item, fireTime) => item === 0 && fireTime > 20).commit(25, 'x', [
        created(`${ITEMS}/0/running`, '10.0.0.9@-@1008-9'),
      ]),
  ],
  [23, 'a job is started before the last item of its parent has succeeded', () => withChild('too early')],
  [23, 'a job is started before an item of its parent is begun', () => withChild('an item to come')],
  [23, 'a job is started without an item of its parent that goes during the run', () => withoutItem(30.02, 31)],
  [23, 'a job is started without an item of its parent that was there in time', () => withoutItem(25, 29)],
  [23, 'a start is no part of the settle', () => withChild('apart')],
  [23, 'all items of the parent have succeeded, and nothing is started', () => withChild('not started')],
  [23, 'nobody runs what was started', () => withChild('not run')],
  [23, 'a job runs that was not started', () => withChild('not asked')],
  [
    24,
    'assertHeld passes after another instance has begun the item',
    () =>
      healthy()
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: 38 })
        .begin(35, 0, { by: 1, fireTime: 30 })
        .note(36, { kind: 'held', run: 11, isHeld: true }),
  ],
  [
    24,
    'assertHeld refuses what is held',
    () =>
      healthy().begin(32, 0, { by: 0, fireTime: 30, endsAt: 38 }).note(33, { kind: 'held', run: 11, isHeld: false }),
  ],
  [25, 'a removed job begins', () => healthy().note(22, { ...REMOVAL, outcome: 'done' })],
  [25, 'a call does not end', () => healthy().note(22, { ...REMOVAL, outcome: 'asked' })],
  [
    25,
    'a call fails in a way of its own',
    () => healthy().note(22, { ...REMOVAL, outcome: 'failed', error: 'TypeError' }),
  ],
  [
    26,
    'an item stays marked after its run has ended',
    () =>
      healthy((item, fireTime) => item === 0 && fireTime > 20)
        .begin(32, 0, { by: 0, fireTime: 30, endsAt: Infinity })
        .note(33, { kind: 'returned', run: 8 }),
  ],
  [
    26,
    'a mark that somebody has made by hand stays',
    () => healthy((item) => item === 0).commit(25, 'operator', [created(`${ITEMS}/0/running`, idOf(0))]),
  ],
  [
    27,
    'a process does not stop',
    () =>
      healthy()
        .note(52, { kind: 'leaving', instance: 0 })
        .note(60, { kind: 'left', instance: 0 })
        .note(70, { kind: 'over', pendingTimers: 0 }),
  ],
  [28, 'a fire time is begun that has not come', () => healthy().begin(33, 0, { by: 0, fireTime: 50 })],
];

describe('the checkers', () => {
  it.each([
    ['scheduled', healthy, 1],
    ['resident', () => HandMadeHistory.resident(), 1],
    ['started', () => withChild(), 2],
    ['twice triggered', askedTwice, 1],
  ])('find no broken promise in a healthy history of a %s job', (_, make, jobs) => {
    const history = make().build();

    expect(
      INVARIANTS.flatMap(({ number, check }) => check(history).map(({ message }) => `${number}: ${message}`)),
    ).toEqual([]);
    expect(history.calmJobs).toHaveLength(jobs);
  });

  it.each(BROKEN)('find a breach of invariant %i: %s', (number, _, make) => {
    const { check } = INVARIANTS.find((invariant) => invariant.number === number)!;

    expect(check(make().build())).not.toEqual([]);
  });

  it.each([
    ['that went just before others were begun', 29.9, 31],
    ['that came just before others were begun', 25, 29.9],
  ])('allow a start without an item of the parent %s', (_, from, to) => {
    const { check } = INVARIANTS.find((invariant) => invariant.number === 23)!;

    expect(check(withoutItem(from, to).build())).toEqual([]);
  });

  it('allow the run that adopts a cancelled task to end as cancelled', () => {
    const { check } = INVARIANTS.find((invariant) => invariant.number === 11)!;

    expect(check(afterCancelledTask(1).build())).toEqual([]);
  });

  it('allow the queue to lose the entry of a cancelled run, which nobody repeats', () => {
    const { check } = INVARIANTS.find((invariant) => invariant.number === 18)!;
    const withEntry = (history: HandMadeHistory) =>
      history.commit(35, sessionOf(0), [created(QUEUED)]).commit(36, sessionOf(1), [deleted(QUEUED)]);

    expect(check(withEntry(dropped('cancelled')).build())).toEqual([]);
    expect(check(withEntry(dropped('overflow')).build())).not.toEqual([]);
  });

  it('have a history for each promise that breaks it', () => {
    expect([...new Set(BROKEN.map(([number]) => number))]).toEqual(INVARIANTS.map(({ number }) => number));
  });
});
