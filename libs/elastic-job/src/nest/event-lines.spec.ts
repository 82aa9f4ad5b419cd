import { describe, expect, it } from 'vitest';
import {
  CancelledError,
  HandedOverError,
  InstanceRemovedError,
  ResidentStoppedError,
  type SettledOutcome,
  SuspendedTooLongError,
} from '../domain/index.js';
import { eventLine } from './event-lines.js';

const ITEMS = Array.from({ length: 10_000 }, (_, item) => item);
const assignment = new Map(ITEMS.map((item) => [item, item % 2 === 0 ? '10.0.0.1@-@1' : '10.0.0.2@-@1']));

const TRIGGER = { jobName: 'settle', fireTime: 0, origin: 'schedule', source: 'NORMAL_TRIGGER' } as const;

function settled(outcome: SettledOutcome) {
  return eventLine({ kind: 'settled', trigger: TRIGGER, taskId: 'settle@-@3', item: 3, outcome, durationMs: 7 });
}

describe('lines of the log', () => {
  it('name at most 100 items of an instance, and the number of others', () => {
    const { text } = eventLine({ kind: 'orphaned', jobName: 'settle', items: ITEMS });
    const plan = { jobName: 'settle', assignment, moves: new Map(), cause: 'joined' } as const;
    const resharded = eventLine({ kind: 'resharded', ...plan });

    expect(text).toMatch(/^settle: items 0,1,2,.*,99 and 9900 others of an instance that is gone/);
    expect(resharded.text).toMatch(/10\.0\.0\.1@-@1: 0,2,.*,198 and 4900 others; 10\.0\.0\.2@-@1: 1,3/);
    expect(resharded.text.length).toBeLessThan(1_000);
  });

  it('name no newer run as the only reason of a fenced item, since a removal of its job fences as well', () => {
    expect(settled({ kind: 'fenced' }).text).toBe(
      'settle: item 3 fenced after 7 ms: its lease is over; ' +
        'another run has the item, the session has ended or the job was removed',
    );
  });

  it('say of a fenced item whose handler had returned that its end could not be recorded', () => {
    expect(settled({ kind: 'fenced', unrecorded: 'succeeded' })).toEqual({
      level: 'warn',
      text:
        'settle: item 3 fenced after 7 ms: its lease is over; its handler had returned before (succeeded), ' +
        'but the registry has not confirmed that; failover may run the item again',
    });
  });

  it.each([
    ['moved', new ResidentStoppedError('settle', 3, 'moved')],
    ['disabled', new ResidentStoppedError('settle', 3, 'disabled')],
    ['moved', new HandedOverError('settle', 'moved')],
    ['leaving', new InstanceRemovedError('settle', 'i', 5_000)],
  ])('tell of a run that was handed over at the level "log", with its word: %s', (word, reason) => {
    expect(settled({ kind: 'aborted', reason })).toEqual({
      level: 'log',
      text: `settle: item 3 handed over after 7 ms, ${word}: ${reason.message}`,
    });
  });

  it.each([
    ['a cancel', { kind: 'aborted', reason: new CancelledError('settle', 3) }],
    ['a registry that is silent', { kind: 'aborted', reason: new SuspendedTooLongError('settle', 1) }],
    ['a lost session', { kind: 'fenced' }],
    ['settings that have changed', { kind: 'aborted', reason: new ResidentStoppedError('settle', 3, 'settings') }],
  ] as const)('warn of a run that was ended by %s', (_what, outcome) => {
    expect(settled(outcome)).toMatchObject({ level: 'warn', text: expect.stringContaining(`item 3 ${outcome.kind}`) });
  });

  const DISABLED = 'disabled: false here, true in the registry';
  const SWITCHES = 'JobOperateApi.enable and disable switch the job, its present servers and new ones';
  it.each([
    [[DISABLED], { overwrite: false }, `warn: settle: the registry overrules, ${DISABLED}; ${SWITCHES}`],
    [[DISABLED], { overwrite: true }, `warn: settle: the registry overrules, ${DISABLED}; ${SWITCHES}`],
    [
      ['a: 1 here, 2 there', DISABLED],
      { overwrite: false },
      `warn: settle: the registry overrules, a: 1 here, 2 there; ${DISABLED}; ` +
        `edit it there, or set overwrite: true here; ${SWITCHES}`,
    ],
    [
      [DISABLED],
      { overwrite: true, edited: true },
      `log: settle: edited in the registry, ${DISABLED}; in force until it is edited again`,
    ],
  ])('name the switch of a job that the registry has disabled, since no setting enables it: %j %j', (...given) => {
    const [differences, event, line] = given;
    const told = { differences, agreed: [], total: 1, count: 1, edited: false, isRefused: false, ...event } as const;

    const { level, text } = eventLine({ kind: 'configuration-differs', jobName: 'settle', ...told });

    expect(`${level}: ${text}`).toBe(line);
  });

  it.each([
    ['failover-off', 'failover is off; set failover: true for work that has to be done'],
    ['beyond-total', 'the job has fewer items now'],
    ['cancelled', 'an operator has cancelled it'],
    ['timed-out', 'it has taken longer than timeoutMs'],
  ] as const)('name run and remedy of a run that a crash has cut short: %s', (reason, remedy) => {
    const what = 'item 0 of an instance that is gone cut short for 1970-01-01T00:00:00.000Z';

    expect(eventLine({ kind: 'cut-short', jobName: 'settle', items: [0], fireTime: 0, reason })).toEqual({
      level: 'warn',
      text: `settle: ${what}, not repeated: ${remedy}`,
    });
  });

  it.each([
    [false, { level: 'log', text: 'settle: left as 10.0.0.1@-@1' }],
    [
      true,
      { level: 'warn', text: 'settle: out as 10.0.0.1@-@1, whose session is lost; joins again in the next session' },
    ],
  ])('tell a lost session from an orderly leave: %s', (isSessionLost, line) => {
    const event = { kind: 'left', jobName: 'settle', instanceId: '10.0.0.1@-@1', isSessionLost } as const;
    expect(eventLine(event)).toEqual(line);
  });

  it('tell of a cancel as it is heard', () => {
    expect(eventLine({ kind: 'cancel-requested', jobName: 'settle', item: 3 })).toEqual({
      level: 'log',
      text: 'settle: item 3 is to stop: an operator has cancelled its run',
    });
  });

  it("warn of an item that was switched off before it could run for an operator's trigger", () => {
    const trigger = { ...TRIGGER, origin: 'manual:7' } as const;
    expect(eventLine({ kind: 'refused', trigger, items: [3], cause: 'disabled' })).toEqual({
      level: 'warn',
      text: 'settle: item 3 not run for manual:7: disabled',
    });
  });

  it.each([
    ['a trigger of the schedule', 'schedule', 'disabled'],
    ['an item that has run for the trigger elsewhere', 'manual:7', 'alreadyBegun'],
  ] as const)('tell at the level "debug" of what is not begun: %s', (_what, origin, cause) => {
    expect(eventLine({ kind: 'refused', trigger: { ...TRIGGER, origin }, items: [3], cause })).toEqual({
      level: 'debug',
      text: `settle: item 3 not begun, ${cause}`,
    });
  });

  it('name no registry in an error that concerns no job: it names its subject itself', () => {
    const error = new Error('disk full');
    const event = { kind: 'error', jobName: undefined, message: 'history "sql": rows are not stored', error } as const;
    expect(eventLine(event).text).toBe('history "sql": rows are not stored: disk full');
  });

  it('name all of up to 100 items', () => {
    const { text } = eventLine({ kind: 'orphaned', jobName: 'settle', items: ITEMS.slice(0, 100) });

    expect(text).toContain('98,99 of an instance that is gone');
  });

  it('tell of work without an answer in one warning without a stack, by job', () => {
    const counts = new Map([
      ['settle', 2],
      ['', 1],
    ]);

    expect(eventLine({ kind: 'unanswered', counts, error: new Error('no answer in 5 s') })).toEqual({
      level: 'warn',
      text: 'registry: no answer to 3 triggers or other work (settle 2, no single job 1): no answer in 5 s',
    });
  });
});
