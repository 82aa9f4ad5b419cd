import { describe, expect, it } from 'vitest';
import { formatRerun, formatRerunProgress, type Rerun } from '../../../libs/elastic-job/src/domain/index.js';
import { changed, created, deleted, HandMadeHistory, ITEMS, sessionOf, START } from './hand-made-history.js';
import { type Invariant, INVARIANTS, RERUN_INVARIANTS } from './index.js';

const RERUN = '/job/reruns/r1';
/** Item 0 shall run for the seconds 10 and 20 once more. */
const ASKED: Rerun = { at: START + 32_000, items: [0], fireTimes: [START + 10_000, START + 20_000] };
const WITHDRAWN = formatRerun({ ...ASKED, withdrawn: true });

type Options = Partial<Parameters<HandMadeHistory['begin']>[2]>;

function progress(ended: number) {
  const write = ended === 1 ? created : changed;
  return write(`${RERUN}/0`, formatRerunProgress({ ended, failed: 0 }));
}

/** Runs a past fire time of the first re-run for item 0. The record keeps what the schedule has begun last. */
function again(history: HandMadeHistory, seconds: number, fireTime: number, options: Options = {}): HandMadeHistory {
  return history.begin(seconds, 0, {
    by: 0,
    fireTime,
    origin: 'rerun:r1',
    endsAt: seconds + 0.5,
    record: { lastScheduled: START + 30_000 },
    alongside: [progress(fireTime / 10)],
    ...options,
  });
}

/** A re-run is asked for after the fire time of second 30, and is open. */
function asked(): HandMadeHistory {
  return HandMadeHistory.healthy().commit(32, 'operator', [created('/job/reruns'), created(RERUN, formatRerun(ASKED))]);
}

/** Both fire times run, and the leader removes the re-run. */
function done(first: Options = {}, second: Options = {}): HandMadeHistory {
  return removed(again(again(asked(), 33, 10, first), 34, 20, second));
}

function removed(history: HandMadeHistory): HandMadeHistory {
  return history.commit(36, sessionOf(0), [deleted(`${RERUN}/0`), deleted(RERUN)]);
}

const BROKEN: readonly (readonly [number, string, () => HandMadeHistory])[] = [
  [36, 'a re-run pays what the item owes', () => done({ record: { lastScheduled: START + 33_000 } })],
  [36, 'a re-run makes a debt', () => done({ record: { lastScheduled: START + 10_000 } })],
  [36, 'a re-run forgets what the schedule has begun last', () => done({ record: {} })],
  [
    36,
    'a re-run saves a checkpoint',
    () => done().commit(33.2, sessionOf(0), [created(`${ITEMS}/0/checkpoint`, '11')]),
  ],
  [36, 'a re-run clears the checkpoint', () => done().commit(34.2, sessionOf(0), [deleted(`${ITEMS}/0/checkpoint`)])],
  [
    36,
    'a re-run gets the checkpoint of the schedule',
    () => done().note(33.1, { kind: 'loaded', run: 11, savedBy: 5 }),
  ],
  [36, 'a re-run starts another job', () => done({ alongside: [progress(1), changed('/child/after', '{}')] })],
  [36, 'a re-run counts for another job', () => done({ alongside: [progress(1), changed('/job/dependents', '{}')] })],
  [37, 'a newer fire time is first', () => removed(again(again(asked(), 33, 20), 34, 10))],
  [37, 'a fire time runs that nobody has asked for', () => done({}, { fireTime: 15 })],
  [37, 'an item runs that nobody has named', () => asked().begin(33, 1, { by: 1, fireTime: 10, origin: 'rerun:r1' })],
  [37, 'a fire time runs again after its end', () => again(done(), 35, 20)],
  [
    37,
    'a later re-run is first',
    () => done().commit(32.5, 'operator', [created('/job/reruns/r0', formatRerun({ ...ASKED, at: ASKED.at - 1_000 }))]),
  ],
  [38, 'the progress is not written', () => done({ alongside: [] })],
  [
    38,
    'the progress is written after the settle',
    () => done({ alongside: [] }).commit(33.6, sessionOf(0), [progress(1)]),
  ],
  [38, 'the progress is written before the settle', () => done().commit(33.2, sessionOf(0), [progress(1)])],
  [39, 'a fire time begins after the withdrawal', () => done().commit(33.7, 'operator', [changed(RERUN, WITHDRAWN)])],
  [39, 'a fire time begins after the re-run is gone', () => removed(again(asked(), 37, 10))],
  [
    39,
    'a fire time begins beside an instance that cannot',
    () =>
      done().commit(31, 'x', [created('/job/instances/10.0.0.9@-@1008-9', 'labels: nestjs-elastic-job/1 v=1.43.0')]),
  ],
  [
    39,
    'a fire time begins before one that the item owes',
    () =>
      again(
        HandMadeHistory.healthy((item, fireTime) => item === 0 && fireTime === 30).commit(22, 'operator', [
          created(RERUN, formatRerun(ASKED)),
        ]),
        32,
        10,
        { record: { lastScheduled: START + 20_000 } },
      ),
  ],
  [40, 'a re-run is forgotten', () => again(again(asked(), 33, 10), 34, 20)],
  [40, 'a withdrawn re-run stays', () => asked().commit(33, 'operator', [changed(RERUN, WITHDRAWN)])],
];

function brokenIn(made: HandMadeHistory, invariants: readonly Invariant[]): string[] {
  const history = made.build();
  return invariants.flatMap(({ number, check }) => check(history).map(({ message }) => `${number}: ${message}`));
}

describe('the checkers of re-runs', () => {
  it.each([
    ['re-run that is done', done],
    [
      're-run that is withdrawn while a fire time runs',
      () => removed(again(asked(), 33, 10).commit(33.2, 'operator', [changed(RERUN, WITHDRAWN)])),
    ],
    [
      'fire time that runs again since its holder has died',
      () => removed(again(again(again(asked(), 33, 10, { endsAt: Infinity }), 33.7, 10, { endsAt: 33.9 }), 34, 20)),
    ],
    [
      're-run that a failover goes on with after the withdrawal',
      () =>
        again(again(asked(), 33, 10, { endsAt: Infinity }), 35, 10, { by: 1, isClaim: true, alongside: [] })
          .commit(34.5, 'operator', [deleted(RERUN)])
          .commit(
            34.6,
            sessionOf(0),
            [created('/job/leader/failover/items/0')],
            [{ kind: 'check', path: '/job/leader/election/term', version: 0 }],
          ),
    ],
  ])('find no broken promise in a healthy history of a %s', (_, make) => {
    expect(brokenIn(make(), RERUN_INVARIANTS)).toEqual([]);
  });

  it('leave the other checkers content with a re-run that is done', () => {
    expect(brokenIn(done(), INVARIANTS)).toEqual([]);
  });

  it.each(BROKEN)('find a breach of invariant %i: %s', (number, _, make) => {
    const { check } = RERUN_INVARIANTS.find((invariant) => invariant.number === number)!;

    expect(check(make().build())).not.toEqual([]);
  });

  it('have a history for each promise that breaks it', () => {
    expect([...new Set(BROKEN.map(([number]) => number))]).toEqual(RERUN_INVARIANTS.map(({ number }) => number));
  });
});
