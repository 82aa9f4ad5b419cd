import { beforeNextTransaction, JOB, type Member, Registry, SUCCEEDED, triggerAt } from '@test/support/unit/member.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatRunRecord, type RunRecord, type RunTrace, type RunTracer } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { JobPaths, JobTree } from '../job-tree/index.js';
import { Executions } from './executions.js';
import { beginOperations, heldItems, recordOf, settleOperations } from './item-operations.js';

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

const HOUR = 3_600_000;

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
beforeEach(async () => void ({ registry, member, operator } = await Registry.ofOne()));

describe('a begin', () => {
  it('tells which future fire times of the begun items are known as begun already', async () => {
    const ahead = registry.clock.wallNow() + 5 * HOUR;
    await operator.create(member.tree.paths.record(0), formerRecord(ahead), 'PERSISTENT');
    const now = () => ({ earliest: registry.clock.wallNow(), latest: registry.clock.wallNow(), toleranceMs: 10_000 });
    member.trees.set(await JobTree.open(member.center, registry.clock, JOB, member.self, { now }));

    const { lease, early } = await member.begin([0, 1], { fireTime: registry.clock.wallNow() + 1 });

    expect(lease!.items).toEqual([0, 1]);
    expect([...early!]).toEqual([[0, [ahead]]]);
  });

  it('tells since when each item has owed what has come', async () => {
    await operator.create(member.tree.paths.record(0), formerRecord(500), 'PERSISTENT');
    const { former } = await member.begin([0, 1]);
    expect(former).toEqual(
      new Map([
        [0, 500],
        [1, undefined],
      ]),
    );
  });

  it('knows an item as its own from before the registry knows of the mark until its end is recorded', async () => {
    const { executions, tree } = member;
    const seen: boolean[] = [];
    beforeNextTransaction(
      member,
      async () => void seen.push(executions.isOwnRun(tree, 0), executions.isOwnRun(tree, 1)),
    );
    expect(executions.isOwnRun(tree, 0)).toBe(false);

    const { lease } = await member.begin([0]);
    expect(seen).toEqual([true, false]);
    expect(executions.isOwnRun(tree, 0)).toBe(true);
    lease!.settle(0, SUCCEEDED);
    expect(executions.isOwnRun(tree, 0)).toBe(true);
    await registry.clock.advance(0);

    expect(executions.isOwnRun(tree, 0)).toBe(false);
  });

  it('knows an item as its own no more once another instance was faster', async () => {
    const other = await registry.joined();
    await member.tree.sync();
    beforeNextTransaction(member, async () => void (await other.begin([0])));

    const { refused } = await member.executions.begin({ trigger: triggerAt(1_000), items: [0] });

    expect(refused).toEqual(new Map([[0, 'alreadyBegun']]));
    expect(member.executions.isOwnRun(member.tree, 0)).toBe(false);
  });

  it('hands over its lease before it returns, and nothing where there is none', async () => {
    const taken: unknown[] = [];
    const here = { has: () => false, add: (begun: unknown) => void taken.push(begun) };
    await member.tree.sync();
    const assignment = { trigger: triggerAt(1_000), items: [0] };

    const { lease } = await member.executions.begin(assignment, here);
    await member.executions.begin(assignment, here);

    expect(taken).toEqual([lease]);
  });

  it('is traced with its run, its items and the traced runs that it repeats', async () => {
    const traced = { settled: { at: 501, outcome: 'aborted' }, trace: '00-a-b-01' };
    await operator.create(member.tree.paths.record(0), formerRecord(1_000, traced), 'PERSISTENT');
    await operator.create(member.tree.paths.queued(0), '', 'PERSISTENT');
    await operator.create(member.tree.paths.queued(1), '', 'PERSISTENT');
    await member.tree.load([member.tree.paths.record(0)]);
    const begun: unknown[] = [];
    const executions = tracedExecutions({ begun: (told) => begun.push(told) });

    const trigger = triggerAt(1_000, { source: 'FAILOVER' });
    const lease = await executions.beginClaimed(member.tree, trigger, [0, 1]);

    expect(begun).toEqual([{ jobName: JOB, run: lease!.run, items: [0, 1], repeated: new Map([[0, '00-a-b-01']]) }]);
    expect(JSON.parse((await operator.read(member.tree.paths.record(1)))!.data)).toMatchObject({ trace: '00-new-01' });
  });

  it('is traced without a run where nothing is written, and does not exist without items', async () => {
    registry = new Registry();
    [member] = await registry.sharded(1, { monitorExecution: false, failover: false });
    const begun: unknown[] = [];
    const executions = tracedExecutions({ begun: (told) => begun.push(told) });

    expect(await executions.begin({ trigger: triggerAt(1_000), items: [] })).toEqual({
      lease: undefined,
      refused: new Map(),
      former: new Map(),
    });
    const { lease, refused, former } = await executions.begin({ trigger: triggerAt(1_000), items: [0, 1] });

    expect([lease!.items, refused, former]).toEqual([[0, 1], new Map(), new Map()]);
    expect(begun).toEqual([{ jobName: JOB, run: undefined, items: [0, 1], repeated: new Map() }]);
  });

  it('has no lease without the result of its record', () => {
    const target = { fireTime: 1, origin: 'schedule' as const };
    const begin = { run: 'r', by: 'me', target, attempt: 1, begunAt: 1 };
    const items = [{ item: 3, version: 0, hasMisfire: false, record: begin }];
    expect(() => heldItems(items, [1], [{ kind: 'check' }, { kind: 'check' }])).toThrow(
      'Begin of item 3: its record was not set.',
    );
  });
});

describe('the misfire flags of items', () => {
  it('are set although another instance sets one of them at the same moment', async () => {
    const flag = (item: number) => member.tree.paths.mark(item, 'misfire');
    beforeNextTransaction(member, async () => void (await operator.create(flag(0), '', 'PERSISTENT')));

    await member.executions.markMisfired(JOB, [0, 1]);

    expect([await operator.exists(flag(0)), await operator.exists(flag(1))]).not.toContain(undefined);
  });

  it('are written for items that are there, and cost nothing where nothing changes', async () => {
    const before = member.center.traffic.foreground;
    await member.executions.markMisfired(JOB, [99]);
    await member.executions.clearMisfires(JOB, [0, 1]);
    expect(member.center.traffic.foreground).toBe(before);
  });
});

function formerRecord(fireTime: number, more: object = { settled: { at: 1, outcome: 'succeeded' } }): string {
  return JSON.stringify({ v: 1, run: 'r', by: 'x', target: { fireTime, origin: 'schedule' }, ...more });
}

function tracedExecutions(trace: Pick<RunTrace, 'begun'>): Executions {
  const silent = {
    aroundItem: <Result>(_context: unknown, handle: () => Result) => handle(),
    settled() {},
    ended() {},
  };
  const tracer: RunTracer = { start: () => ({ traceparent: '00-new-01', ...silent, ...trace }) };
  return new Executions(member.trees, member.configurations, registry.clock, { tracer });
}
