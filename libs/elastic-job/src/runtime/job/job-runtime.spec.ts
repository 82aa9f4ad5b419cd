import { afterEach, expect, it } from 'vitest';
import { ConfigurationError, type JobOptions } from '../../domain/index.js';
import { JOB, MINUTE, OneProcess, SECOND } from '@test/support/unit/one-process.js';
import type { RuntimeOptions } from '../settings/runtime-options.js';

const NORMAL = ['0 NORMAL_TRIGGER', '1 NORMAL_TRIGGER'];
const DAY = 24 * 60 * MINUTE;
const PEER = '10.0.0.9@-@1';
const NO_RIGHT = -102;
/** A handler that ignores every signal. */
const deaf = () => new Promise(() => {});

let process: OneProcess;
afterEach(() => process.stop());

it('hands the configured epoch to handlers, and reports hung ones after the configured grace', async () => {
  await start({ timeoutMs: SECOND }, { tokenEpoch: 7, hungGraceMs: 5_000, drainTimeoutMs: 10 });
  const epochs = new Set<number>();
  process.work = ({ tokenEpoch }) => {
    epochs.add(tokenEpoch);
    return deaf();
  };
  await process.advance(MINUTE);
  await process.untilSecond(5);
  expect(process.toldOf('hung')).toEqual([]);
  await process.advance(2 * SECOND);
  expect([...epochs, process.toldOf('hung').map(({ item }) => item)]).toEqual([7, [0, 1]]);
});

it('tells once of Java peers that come in one turn', async () => {
  await start();
  const peers = Array.from({ length: 100 }, (_, index) => `10.0.0.9@-@${100 + index}`).toReversed();

  await Promise.all(peers.map((id) => process.operator.create(process.path(`instances/${id}`), '', 'EPHEMERAL')));
  await process.advance(0);

  expect(process.toldOf('mixed').map((event) => event.peers)).toEqual([peers]);
});

it('runs an item at the next fire time despite a record from the future', async () => {
  await start();
  await process.advance(MINUTE);
  const path = process.path('sharding/0/record');
  const record = JSON.parse((await process.operator.read(path))!.data);
  record.target.fireTime += DAY;
  await process.operator.set(path, JSON.stringify(record));
  await process.advance(MINUTE);
  expect(process.runs).toEqual([...NORMAL, ...NORMAL]);
  expect(process.toldOf('early')).toMatchObject([{ items: [0] }]);
});

it('refuses to add a job that a Java peer cannot share; after a rejoin it only begins nothing', async () => {
  await start({ misfirePolicy: 'all' });
  await process.clock.advanceUntil(process.runtime.registrar.remove(JOB));
  await addPeer();
  const adding = process.clock.advanceUntil(process.runtime.registrar.register(process.job({ misfirePolicy: 'all' })));
  await expect(adding).rejects.toThrow(ConfigurationError);

  await process.operator.delete(process.path(`instances/${PEER}`));
  await process.clock.advanceUntil(process.runtime.registrar.register(process.job({ misfirePolicy: 'all' })));
  await addPeer();
  await loseSession();
  await process.advance(MINUTE);
  expect(status()).toMatchObject({ isJoined: true, mixedWith: [PEER], problem: expect.stringContaining(PEER) });
  expect(process.runs).toEqual([]);
});

it('refuses to add a job with an unknown error handler, but lets it rejoin', async () => {
  await start();
  await editConfig((text) => `${text}jobErrorHandlerType: PIGEON\n`);
  await loseSession();
  await process.advance(MINUTE);
  expect([status().isJoined, process.runs]).toEqual([true, NORMAL]);

  await process.clock.advanceUntil(process.runtime.registrar.remove(JOB));
  const adding = process.clock.advanceUntil(process.runtime.registrar.register(process.job()));
  await expect(adding).rejects.toThrow(/PIGEON/);
});

it('tries a failed rejoin again, and runs the job', async () => {
  await start();
  const { center } = process;
  const transaction = center.transaction.bind(center);
  center.transaction = () => {
    center.transaction = transaction;
    return Promise.reject(new Error('a bug'));
  };
  await loseSession();
  expect(process.toldOf('error').map(({ message }) => message)).toEqual(['rejoining failed; trying again']);
  expect([status().isJoined, process.toldOf('left').length]).toEqual([true, 2]);
  expect(process.toldOf('left')[0]).toMatchObject({ isSessionLost: true });
  await process.advance(MINUTE);
  expect(process.runs).toEqual(NORMAL);
});

it.each([
  ['nothing runs any more', 1, false],
  ['a handler still runs', 2, true],
])('has $1 registrations for a moment after a session was lost here alone, if %s', async (_, times, isDeaf) => {
  await start({}, { drainTimeoutMs: 10 });
  process.work = () => isDeaf && deaf();
  await process.advance(MINUTE);
  const { id } = process.center.session;
  process.registry.cut(id!, 'replies');
  await process.advance(8_500);
  process.registry.uncut(id!, 'replies');
  await process.advance(SECOND);
  expect(await process.operator.children(process.path('instances'))).toHaveLength(times);
  await process.advance(10 * SECOND);
  expect(await process.operator.children(process.path('instances'))).toHaveLength(1);
});

it('leaves no instance behind if a job cannot be added since the session was replaced meanwhile', async () => {
  const answers: (() => void)[] = [];
  const assertNotAhead = () => new Promise<void>((resolve) => answers.push(resolve));
  process = new OneProcess({ fences: [{ assertNotAhead }] });
  await process.operator.connect();
  await process.clock.advanceUntil(process.runtime.start());
  const added = process.runtime.registrar.register(process.job()).catch((error: unknown) => error);
  await process.advance(SECOND);
  await loseSession();
  for (const answer of answers.toReversed()) {
    answer();
    await process.advance(SECOND);
  }
  expect(await added).toMatchObject({ code: 'SESSION_LOST' });
  expect(await process.operator.children(process.path('instances'))).toEqual([]);
});

it('lets others read how far its clock is ahead after it was set', async () => {
  await start();
  process.host.setWall(process.host.wallNow() + 5_000);
  await process.advance(MINUTE);
  const { data } = (await process.operator.read(process.path(`sessions/${process.id}`)))!;
  expect(data).toMatch(/^clock (49|50)\d\d$/);
});

it.each([
  ['removed', 1, () => process.runtime.registrar.remove(JOB)],
  ['stopped with its process', 0, () => process.runtime.stop()],
])('reports a handler as hung after its job is %s, this many times: %i', async (_, times, end) => {
  await start({}, { drainTimeoutMs: SECOND, hungGraceMs: 5_000 });
  process.work = ({ shardingItem }) => shardingItem === 0 && deaf();
  await process.advance(MINUTE);
  await process.clock.advanceUntil(end());
  await process.advance(10 * SECOND);
  expect(process.toldOf('hung')).toHaveLength(times);
});

it('joins a job again if it is resumed after its instance was removed', async () => {
  await start();
  await process.operator.delete(process.path(`instances/${process.id}`));
  await process.advance(SECOND);
  expect(status()).toMatchObject({ isJoined: false, problem: expect.stringContaining('removed') });
  await process.advance(MINUTE);
  expect(process.runs).toEqual([]);

  process.runtime.registrar.resume(JOB);
  await process.advance(SECOND);
  expect([status().isJoined, status().problem]).toEqual([true, undefined]);
  await process.advance(MINUTE);
  expect(process.runs).toEqual(NORMAL);
});

it('reports orphans of its own and a full failover queue after a job is added again', async () => {
  await start({ failoverQueueLimit: 1 });
  const { id } = process;
  await process.advance(MINUTE);
  await process.clock.advanceUntil(process.runtime.registrar.remove(JOB));
  for (const item of [0, 1]) await reopen(item, id);

  await process.clock.advanceUntil(process.runtime.registrar.register(process.job({ failoverQueueLimit: 1 })));
  await process.advance(SECOND);

  expect(process.toldOf('orphaned')).toMatchObject([{ items: [0] }]);
  expect(process.toldOf('failover-overflow')).toMatchObject([{ items: [1] }]);
});

it('changes nothing in a running job that is resumed, and ends its registration if it is removed', async () => {
  await start();
  process.runtime.registrar.resume(JOB);
  await process.advance(MINUTE);
  expect([process.runs, process.toldOf('joined').length]).toEqual([NORMAL, 1]);
  const { id } = process;
  await process.clock.advanceUntil(process.runtime.registrar.remove(JOB));
  expect(await process.operator.exists(process.path(`instances/${id}`))).toBeUndefined();
});

it('shows in the status how the options of a job differ from its settings', async () => {
  await start();
  expect(status().differences).toEqual([]);
  await process.clock.advanceUntil(process.runtime.registrar.remove(JOB));
  await process.clock.advanceUntil(process.runtime.registrar.register(process.job({ jobParameter: 'x' })));
  expect(status().differences).toEqual([expect.stringMatching(/^jobParameter: x here/)]);
});

it('follows settings that changed during an outage, once it is over', async () => {
  await start();
  await whileAway(() => editConfig((text) => text.replace('0 * * * * ?', '30 * * * * ?')));
  expect(new Date(status().nextFireTime!).getUTCSeconds()).toBe(30);
});

it('leaves a job whose instance was removed during an outage, once it is over', async () => {
  await start();
  const { id } = process;
  await whileAway(() => process.operator.delete(process.path(`instances/${id}`)));
  expect([status().isJoined, process.toldOf('left').length]).toEqual([false, 1]);
  expect(process.toldOf('left')).toMatchObject([{ isSessionLost: false }]);
});

it('joins a job without usable settings once another instance keeps some', async () => {
  await start();
  const { data } = (await process.operator.read(process.path('usable')))!;
  await process.clock.advanceUntil(process.runtime.registrar.remove(JOB));
  await breakConfig();
  await process.operator.delete(process.path('usable'));
  await process.clock.advanceUntil(process.runtime.registrar.register(process.job()));
  expect(status().isJoined).toBe(false);
  await process.operator.create(process.path('usable'), data, 'PERSISTENT');
  await process.advance(SECOND);
  expect(status()).toMatchObject({ isJoined: true, problem: undefined, configurationFault: expect.any(String) });
  await process.advance(MINUTE);
  expect(process.runs).toEqual(NORMAL);
});

it('shows no peers and no differences in the status after the session is lost', async () => {
  await start();
  await editConfig((text) => `${text}description: edited\n`);
  await addPeer();
  expect(status()).toMatchObject({ mixedWith: [PEER], differences: [expect.stringContaining('edited')] });
  process.registry.suspend(process.center.session.id!);
  await process.advance(15 * SECOND);
  expect(status()).toMatchObject({ isJoined: false, mixedWith: [], differences: [] });
});

it('shows a settle that the registry refuses for long as an event and in the status', async () => {
  await start();
  process.work = () => process.clock.sleep(SECOND);
  await process.untilSecond(0);
  const mend = process.registry.fail(({ kind, path }) =>
    kind !== 'check' && path.includes('/sharding/') ? NO_RIGHT : undefined,
  );
  await process.advance(2 * MINUTE);
  expect(process.toldOf('settle-delayed')).toMatchObject([{ jobName: JOB, items: [0, 1] }]);
  expect(status().delayedSettles).toMatchObject({ items: [0, 1] });
  mend();
  await process.advance(MINUTE);
  expect(status().delayedSettles).toBeUndefined();
});

it('reports a clock that is ahead before its job joins', async () => {
  process = new OneProcess();
  await process.operator.connect();
  process.host.setWall(process.host.wallNow() + DAY);
  await process.runtime.registrar.register(process.job());
  await process.clock.advanceUntil(process.runtime.start());
  const kinds = process.told.map(({ kind }) => kind).filter((kind) => kind === 'clock' || kind === 'joined');
  expect(kinds).toEqual(['clock', 'joined']);
});

it.each(['skip', 'once', 'all'] as const)(
  'runs the fire time at which its fast clock is found to be ahead when that has come, under %s',
  async (misfirePolicy) => {
    process = await OneProcess.start({ misfirePolicy }, {}, 1.05);
    await process.advance(3.5 * MINUTE);
    // A run shortly before tells the registry's time.
    await process.operator.ensurePath(process.path('trigger'));
    await process.operator.create(process.path(`trigger/${process.id}`), '', 'PERSISTENT');
    await process.advance(4.5 * MINUTE);
    expect(process.toldOf('clock')).toMatchObject([{ state: 'ahead' }]);
    const scheduled = process.toldOf('triggered').filter(({ trigger }) => trigger.origin === 'schedule');
    const minutes = scheduled.map(({ trigger }) => new Date(trigger.fireTime).getMinutes());
    expect(minutes).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(process.toldOf('missed')).toEqual([]);
  },
);

it('ends the items of a resident job that is removed, and leaves at once', async () => {
  await start({ cron: undefined, resident: true });
  const reasons: unknown[] = [];
  process.work = async ({ signal }) => {
    await process.clock.sleep(DAY, signal).catch((reason: unknown) => reasons.push(reason));
  };
  await process.advance(SECOND);
  const before = process.clock.wallNow();
  await process.clock.advanceUntil(process.runtime.registrar.remove(JOB));
  expect(process.clock.wallNow() - before).toBeLessThan(SECOND);
  expect(reasons).toMatchObject([{ why: 'leaving' }, { why: 'leaving' }]);
});

it('refuses a job with an unknown error handler even before the process has started', async () => {
  process = new OneProcess();
  const adding = process.runtime.registrar.register(process.job({ jobErrorHandlerType: 'PIGEON' }));
  await expect(adding).rejects.toThrow(/PIGEON/);
});

it.each([
  ['stands already', true],
  ['is made here', false],
])('joins no job in a tree that others may change and that %s', async (_, isThere) => {
  process = new OneProcess();
  await process.operator.connect();
  if (isThere) await process.operator.create(`/${JOB}`, 'spec', 'PERSISTENT');
  const assertOwn = async (path: string) => {
    if (path === `/${JOB}`) throw new Error('anyone may write here');
  };
  Object.defineProperty(process.center, 'owners', { value: { assertOwn } });
  await process.runtime.registrar.register(process.job());
  await expect(process.clock.advanceUntil(process.runtime.start())).rejects.toThrow('anyone may write here');
  expect(process.toldOf('joined')).toEqual([]);
  // An existing node is left as it is.
  expect((await process.operator.exists(process.path('config'))) !== undefined).toBe(!isThere);
});

it('counts only the failed trigger of all requests under way as the session ends, and reports no error', async () => {
  await start();
  await process.untilSecond(59);
  process.registry.cut(process.center.session.id!, 'replies');
  await process.operator.create(process.path('leader/failover/items/0'), '', 'PERSISTENT');
  await process.advance(20 * SECOND);
  expect([process.toldOf('error'), process.toldOf('unanswered').map(({ counts }) => counts)]).toEqual([
    [],
    [new Map([[JOB, 1]])],
  ]);
});

/** The item's last run has begun, but not ended. */
async function reopen(item: number, holder: string): Promise<void> {
  const path = process.path(`sharding/${item}/record`);
  const { settled: _, ...open } = JSON.parse((await process.operator.read(path))!.data);
  await process.operator.set(path, JSON.stringify(open));
  await process.operator.create(process.path(`sharding/${item}/running`), holder, 'PERSISTENT');
}

async function start(job?: Partial<JobOptions>, options?: Partial<RuntimeOptions>): Promise<void> {
  process = await OneProcess.start(job, options);
}

function status() {
  return process.runtime.status().jobs[0]!;
}

async function addPeer(): Promise<void> {
  await process.operator.create(process.path(`instances/${PEER}`), '', 'EPHEMERAL');
  await process.advance(10);
}

/** The registry ends the session, and the process comes back with another one. */
async function loseSession(): Promise<void> {
  process.registry.expire(process.center.session.id!);
  await process.advance(5 * SECOND);
}

async function whileAway(happen: () => Promise<unknown>): Promise<void> {
  const { id } = process.center.session;
  process.registry.suspend(id!);
  await process.advance(SECOND);
  await happen();
  process.registry.resume(id!);
  await process.advance(6 * SECOND);
}

async function editConfig(edit: (text: string) => string): Promise<void> {
  const { data } = (await process.operator.read(process.path('config')))!;
  await process.operator.set(process.path('config'), edit(data));
  await process.advance(SECOND);
}

/** @returns a function that repairs it */
async function breakConfig(): Promise<() => Promise<void>> {
  const { data } = (await process.operator.read(process.path('config')))!;
  await editConfig(() => `jobName: ${JOB}\nshardingTotalCount: 0\n`);
  return () => editConfig(() => data);
}
