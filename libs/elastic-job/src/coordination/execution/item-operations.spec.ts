import { describe, expect, it } from 'vitest';
import { formatRunRecord, type RunRecord } from '../../domain/index.js';
import { JobPaths } from '../job-tree/index.js';
import { beginOperations, recordOf, settleOperations } from './item-operations.js';

const paths = new JobPaths('j');
const RECORD = {
  run: 'r',
  by: 'a',
  target: { fireTime: 1, origin: 'schedule' },
  attempt: 1,
  begunAt: 1,
} as const;
const textOf = (record: RunRecord) => formatRunRecord(record, 1);

describe('what a begin and a settle write', () => {
  it.each([
    [{ isPersistent: false, isFailover: false }, false, ['create running EPHEMERAL', 'set record v5']],
    [{ isPersistent: true, isFailover: false }, true, ['delete misfire', 'create running PERSISTENT', 'set record v5']],
    [
      { isPersistent: false, isFailover: true },
      false,
      [
        'delete items/3',
        'create failover EPHEMERAL',
        'create failovering PERSISTENT',
        'create running EPHEMERAL',
        'set record v5',
      ],
    ],
  ])('puts the record of a begin last, against the version that was read: %j', (modes, hasMisfire, told) => {
    expect(
      beginOperations(paths, { item: 3, version: 5, hasMisfire, record: RECORD }, { ...modes, textOf }).map(tell),
    ).toEqual(told);
  });

  it('gives an item without a run of ours its first record', () => {
    const beginning = { item: 3, version: 0, isFirst: true, hasMisfire: false, record: RECORD };
    const operations = beginOperations(paths, beginning, {
      isPersistent: false,
      isFailover: false,
      textOf,
    });
    expect(operations.map(tell)).toEqual(['create running EPHEMERAL', 'token record']);
  });

  it.each([
    ['schedule', 7, 7],
    ['schedule', 4, undefined],
    ['manual:1', 4, 4],
    ['manual:1', undefined, undefined],
  ] as const)('a begin by %s after the last fire time %s records %s as the last fire time', (origin, last, kept) => {
    const record = recordOf({ lastScheduled: last, triggers: ['0'] }, { ...RECORD, target: { fireTime: 5, origin } });
    expect(record).toMatchObject({ target: { fireTime: 5, origin }, triggers: ['0'] });
    expect(record.lastScheduled).toBe(kept);
  });

  it.each([
    ['schedule', undefined, undefined, undefined],
    ['schedule', undefined, 3, undefined],
    ['manual:1', 4, 4, undefined],
    ['manual:1', undefined, 3, 3],
    ['manual:1', undefined, undefined, 1],
  ] as const)(
    'a begin by %s with last fire time %s and owed instant %s records %s as owed instant',
    (origin, lastScheduled, owesAfter, kept) => {
      expect(recordOf({ lastScheduled, owesAfter }, { ...RECORD, target: { fireTime: 5, origin } }).owesAfter).toBe(
        kept,
      );
    },
  );

  it('leaves fields that are undefined or empty out of the record of a begin', () => {
    expect(recordOf({}, RECORD)).toStrictEqual(RECORD);
    const none = { executorDeaths: undefined, triggers: [], early: undefined, owesAfter: undefined };
    expect(recordOf(none, RECORD)).toStrictEqual(RECORD);
  });

  it('keeps in the record of a begin what others have left in it', () => {
    const early = { after: 1, until: 9, fireTimes: [9] };
    const kept = { lastScheduled: 7, executorDeaths: 2, triggers: ['0'], early };
    expect(recordOf({ carried: { later: 'x' }, ...kept }, RECORD)).toStrictEqual({ later: 'x', ...RECORD, ...kept });
  });

  it.each([
    ['the same one', 5, undefined],
    ['an early one that has come, which stands for none', 9, 4],
  ] as const)(
    'keeps the last fire time beside its own unless they are the same; its own is %s',
    (_, fireTime, kept) => {
      const early = { after: 1, until: 9, fireTimes: [9] };
      const target = { fireTime, origin: 'schedule' } as const;
      expect(recordOf({ lastScheduled: kept ?? fireTime, early }, { ...RECORD, target }).lastScheduled).toBe(kept);
    },
  );

  it.each([
    [{ isFailover: false, isRequeued: false }, ['set record v6', 'delete running']],
    [{ isFailover: false, isRequeued: false, isRecordWritten: false }, ['check record', 'delete running']],
    [{ isFailover: false, isRequeued: true }, ['set record v6', 'delete running', 'create items/3 PERSISTENT']],
    [
      { isFailover: true, isRequeued: false },
      ['set record v6', 'delete running', 'delete failover', 'delete failovering'],
    ],
    [
      { isFailover: false, isRequeued: false, isCancelled: true },
      ['set record v6', 'delete running', 'delete cancel/3'],
    ],
  ])('puts the record of an ended item first, and then removes every mark of its begin: %j', (how, told) => {
    const modes = { isRecordWritten: true, isCancelled: false, ...how };
    expect(settleOperations(paths, { item: 3, version: 6 }, '{}', modes).map(tell)).toEqual(told);
  });
});

function tell(operation: ReturnType<typeof beginOperations>[number]): string {
  const { kind, path } = operation;
  const isNamedByParent = path === paths.queued(3) || path === paths.cancel(3);
  const name = path
    .split('/')
    .slice(isNamedByParent ? -2 : -1)
    .join('/');
  if (kind === 'create') return `create ${name} ${operation.mode}`;
  return kind === 'set' ? `set ${name} v${operation.version}` : `${kind} ${name}`;
}
