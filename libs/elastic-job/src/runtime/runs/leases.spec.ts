import { JOB } from '@test/support/unit/member.js';
import { HUNG_GRACE_MS, LATE_AFTER_MS, OneSession } from '@test/support/unit/one-session.js';
import { beforeEach, expect, it, vi } from 'vitest';
import {
  CancelledError,
  DrainDeadlineError,
  type ElasticJobListener,
  ExecutorDeathError,
  LeaseLostError,
  manualOrigin,
  type RunTrace,
  type SettledOutcome,
  type ShardingContext,
  type Trigger,
} from '../../domain/index.js';

const HOUR = 3_600_000;

let session: OneSession;
beforeEach(async () => void (session = await OneSession.start()));

it('begins nothing while the instance leaves', async () => {
  session.mayBegin = false;
  const { lease, refused } = await session.begin([0, 1]);
  expect([lease, refused.size, session.heard]).toEqual([undefined, 0, []]);
  expect(await session.member.holder(0)).toBeUndefined();
});

it('reports only the item that runs elsewhere as refused', async () => {
  await session.markElsewhere(1);
  await session.begin([0, 1], { origin: manualOrigin('a') });
  await session.begin([2]);
  expect(session.heard).toEqual(['begun 0', 'refused 1,busy', 'begun 2']);
});

it.each([
  ['is ahead of', { known: true, told: true }, 'schedule', [[0, 1]]],
  ['turns out to agree with', { known: true, told: false }, 'schedule', []],
  ['agrees with', { known: false, told: true }, 'schedule', []],
  ['is ahead of', { known: true, told: true }, manualOrigin('a'), []],
] as const)(
  "reports for a fire time that %s the registry's clock (%j), begun by %s, these items as early: %j",
  async (_, ahead, origin, early) => {
    Object.assign(session.ahead, ahead);
    await session.run([0, 1], { origin });
    expect(session.toldOf('early').map(({ items }) => items)).toEqual(early);
  },
);

it('reports nothing as early if no item can be begun', async () => {
  Object.assign(session.ahead, { known: true, told: true });
  await session.markElsewhere(0);
  expect((await session.begin([0])).lease).toBeUndefined();
  expect(session.toldOf('early')).toEqual([]);
});

it('reports no early run of a job started after others, even if its clock is behind theirs', async () => {
  session = await OneSession.start({ cron: undefined, after: ['import-orders'] });
  Object.assign(session.ahead, { known: true, told: true });
  await session.run([0]);
  expect([session.toldOf('begun').length, session.toldOf('early')]).toEqual([1, []]);
});

it('reports each fire time that others began early, with its items', async () => {
  const early = new Map([
    [0, [5_000]],
    [1, [5_000, 6_000]],
  ]);
  const begun = { lease: undefined, refused: new Map(), former: new Map(), early };
  session.member.executions.begin = () => Promise.resolve(begun);
  await session.begin([0, 1]);
  expect(session.toldOf('early')).toMatchObject([
    { jobName: JOB, items: [0, 1], fireTime: 5_000 },
    { items: [1], fireTime: 6_000 },
  ]);
});

it.each([
  [1, [{ items: [0] }], ['3']],
  [2, [], ['0', '3']],
])(
  'reports what a run cut short cannot queue if the limit is %i and one item waits: %j',
  async (failoverQueueLimit, overflows, queued) => {
    session = await OneSession.start({ failoverQueueLimit });
    await session.operator.create(session.paths.queued(3), '', 'PERSISTENT');
    session.handler = ({ signal }) => session.clock.sleep(HOUR, signal);
    const lease = await session.run([0]);
    lease.abort(new DrainDeadlineError(JOB, 1));
    await session.clock.advance(0);
    expect(session.toldOf('failover-overflow')).toMatchObject(overflows);
    expect((await session.operator.children(session.paths.queue)).toSorted()).toEqual(queued);
  },
);

it('reports a thread that dies in a run together with what becomes of the item', async () => {
  session.handler = ({ shardingItem }) => {
    if (shardingItem === 1) throw new ExecutorDeathError('KILLED', 'SIGKILL');
  };
  await session.run([0, 1]);
  expect(session.toldOf('executor-died')).toMatchObject([{ item: 1, state: 'KILLED', requeue: 'queue' }]);
});

it('reports the duration of each item, and why some have failed, once all have ended', async () => {
  const failure = new Error('no such order');
  const cancelled = new CancelledError(JOB, 2);
  await session.clock.advance(HOUR);
  session.handler = async ({ shardingItem, signal }) => {
    if (shardingItem === 1) throw failure;
    await session.clock.sleep(shardingItem === 2 ? HOUR : 500, signal);
  };
  const lease = await session.run([0, 1, 2]);
  await session.clock.advance(100);
  lease.abortItem(2, cancelled);
  expect(session.toldOf('finished')).toEqual([]);
  await session.clock.advance(400);
  const durations = session.toldOf('settled').map(({ item, outcome, durationMs }) => [item, outcome.kind, durationMs]);
  expect(durations).toEqual([
    [1, 'failed', 0],
    [2, 'aborted', 100],
    [0, 'succeeded', 500],
  ]);
  const failures = new Map([
    [1, failure],
    [2, cancelled],
  ]);
  expect(session.toldOf('finished')).toMatchObject([{ items: [0, 1, 2], failures }]);
  expect(session.running.size).toBe(0);
});

it('reports items as fenced if the session ends during their run', async () => {
  session.handler = ({ signal }) => session.clock.sleep(HOUR, signal);
  await session.run([0]);
  session.tree.close(new Error('over'));
  await session.clock.advance(0);
  expect(session.toldOf('settled')).toMatchObject([{ item: 0, outcome: { kind: 'fenced' } }]);
  expect(session.toldOf('finished')[0]!.failures.get(0)).toBeInstanceOf(LeaseLostError);
});

it.each([
  ['THROW', [1], ['the run of items 0,1 failed'], 'Error: item 1'],
  ['THROW', [0, 1], ['the run of items 0,1 failed'], 'AggregateError: 2 items have failed.'],
  ['THROW', [], [], undefined],
  ['IGNORE', [0, 1], [], undefined],
])('reports with the error handler %s, if items %j fail, these errors: %j', async (type, failing, messages, error) => {
  session = await OneSession.start({ jobErrorHandlerType: type });
  session.handler = ({ shardingItem }) => {
    if (failing.includes(shardingItem)) throw new Error(`item ${shardingItem}`);
  };
  await session.run([0, 1]);
  const errors = session.toldOf('error');
  expect(errors.map(({ message }) => message)).toEqual(messages);
  expect(errors[0] && String(errors[0].error)).toBe(error);
});

it.each([
  ['wait', [], ['ended 0']],
  ['release', ['aborted'], ['ended 0']],
] as const)('frees an item with onHung %s only once its late handler returns', async (onHung, outcomes, ended) => {
  session = await OneSession.start({ onHung });
  let returns = (): void => {};
  session.handler = () => new Promise<void>((resolve) => (returns = resolve));
  const lease = await session.run([0]);
  lease.abort(new Error('stop'));
  await session.clock.advance(HUNG_GRACE_MS);
  expect(session.toldOf('hung')).toMatchObject([{ item: 0, isReleased: onHung === 'release' }]);
  expect(session.toldOf('settled').map(({ outcome }) => outcome.kind)).toEqual(outcomes);
  expect([session.running.has(0), session.heard.slice(2)]).toEqual([true, []]);
  returns();
  await session.clock.advance(0);
  expect([session.running.has(0), session.heard.slice(2)]).toEqual([false, ended]);
});

it('gives up no task to others, whatever onHung is: it is killed in the end', async () => {
  session = await OneSession.start({ onHung: 'release' });
  Object.assign(session.work, { tasks: 'bound' });
  session.handler = () => new Promise<void>(() => {});
  const lease = await session.run([0]);
  lease.abort(new Error('stop'));
  await session.clock.advance(HUNG_GRACE_MS);
  expect(session.toldOf('hung')).toMatchObject([{ item: 0, isReleased: false }]);
  expect(session.toldOf('settled')).toEqual([]);
});

it('runs items although a listener throws, names it by its class, and notifies it of the end', async () => {
  class Mail implements ElasticJobListener {
    async beforeJobExecuted() {
      await session.clock.sleep(100);
      session.heard.push('before');
      throw new Error('no mail');
    }

    afterJobExecuted() {
      session.heard.push('after');
      throw new Error('no mail either');
    }
  }
  session = await OneSession.start({}, [new Mail()]);
  session.handler = () => void session.heard.push('handler');
  await session.run([0]);
  await session.clock.advance(100);
  const [before, after] = [
    'the listener Mail.beforeJobExecuted: Error: no mail',
    'the listener Mail.afterJobExecuted: Error: no mail either',
  ];
  expect(session.heard).toEqual(['begun 0', 'run 0', 'before', before, 'handler', 'ended 0', 'after', after]);
});

it('settles all items of a run that fails before its handlers are called', async () => {
  session = await OneSession.start({}, [{ beforeJobExecuted() {}, afterJobExecuted() {} }]);
  const broken = new Error('no barrier');
  session.member.guarantee.enter = () => {
    throw broken;
  };

  const { lease } = await session.begin([0, 1]);
  const ended = vi.fn<() => void>();
  const trace: RunTrace = { traceparent: undefined, begun() {}, aroundItem: (_, run) => run(), settled() {}, ended };
  await expect(session.leases.run(Object.assign(lease!, { trace }))).rejects.toBe(broken);
  await session.clock.advance(0);

  expect(session.toldOf('settled').map(({ item, outcome }) => [item, outcome])).toEqual([
    [0, { kind: 'failed', error: broken }],
    [1, { kind: 'failed', error: broken }],
  ]);
  expect([await session.member.holder(0), session.running.size]).toEqual([undefined, 0]);
  expect(ended).toHaveBeenCalledOnce();
});

it.each<[string, number, Partial<Trigger>, number | undefined]>([
  ['two seconds late', 2_000, {}, 2_000],
  ['due by a clock that is ahead of this one', -500, {}, 0],
  ['resident, for which nobody waits', 2_000, { origin: 'resident' }, undefined],
])('reports this lateness with the first item of a run that is %s: $3', async (_, lateMs, more, told) => {
  await session.run([0, 1], { fireTime: session.clock.wallNow() - lateMs, ...more });
  expect(session.toldOf('started').map(({ latenessMs }) => latenessMs)).toEqual([told, undefined]);
});

it('reports a run that begins later than the threshold', async () => {
  const { clock } = session;
  const fireTime = clock.wallNow();
  const { lease } = await session.begin([0], { fireTime });
  await clock.advance(LATE_AFTER_MS + 1);
  await clock.advanceUntil(session.leases.run(lease!));
  expect(session.toldOf('late')).toMatchObject([
    { trigger: { fireTime }, latenessMs: LATE_AFTER_MS + 1, lateAfterMs: LATE_AFTER_MS, count: 1 },
  ]);
});

it('names the next instance after a run only if its item goes round', async () => {
  await session.run([0]);
  expect(await session.operator.exists(session.paths.nextInstanceIp)).toBeUndefined();
  session = await OneSession.start({ strategy: 'SINGLE_SHARDING_BALANCE', shardingTotalCount: 1 });
  await session.run([0]);
  expect((await session.operator.read(session.paths.nextInstanceIp))?.data).toBe(session.member.self.serverIp);
});

it('notifies the trace of each handler, of each end and of the end of the run', async () => {
  const trace: RunTrace = {
    traceparent: undefined,
    begun: () => {},
    aroundItem: ({ shardingItem }, handle) => {
      session.heard.push(`around ${shardingItem}`);
      return handle();
    },
    settled: (item, { kind }) => void session.heard.push(`${kind} ${item}`),
    ended: () => void session.heard.push('end'),
  };
  const { lease } = await session.begin([0]);
  session.handler = () => void session.heard.push('handler');
  await session.clock.advanceUntil(session.leases.run(Object.assign(lease!, { trace })));
  expect(session.heard.slice(2)).toEqual(['around 0', 'handler', 'succeeded 0', 'ended 0', 'end']);
});

it('passes the context of each settled item to the work that follows, and reports its errors', async () => {
  const heard: string[] = [];
  Object.assign(session.work, {
    settled: ({ shardingItem }: ShardingContext, { kind }: SettledOutcome) => {
      heard.push(`${shardingItem} ${kind}`);
      throw new Error('no mail');
    },
  });
  session.handler = ({ shardingItem }) => {
    if (shardingItem === 1) throw new Error('no such order');
  };
  await session.run([0, 1]);
  expect(heard.toSorted()).toEqual(['0 succeeded', '1 failed']);
  expect(session.toldOf('finished')).toHaveLength(1);
  expect(session.heard.filter((text) => text.startsWith('what follows'))).toEqual(
    Array(2).fill('what follows a settled run: Error: no mail'),
  );
});

it.each([
  ['tasks, which repeat it themselves', 'bound', 1],
  ['handlers here', undefined, 3],
])('calls work that fails, with three attempts by %s, this many times: $2', async (_, tasks, times) => {
  session = await OneSession.start({ maxAttempts: 3, retryDelayMs: 10 });
  Object.assign(session.work, { tasks });
  session.handler = () => Promise.reject(new Error('no such order'));
  await session.run([0]);
  await session.clock.advance(HOUR);
  expect(session.runs).toHaveLength(times);
});
