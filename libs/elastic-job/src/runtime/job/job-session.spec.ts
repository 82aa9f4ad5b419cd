import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatInstance } from '../../coordination/index.js';
import { CancelledError, type JobOptions } from '../../domain/index.js';
import { RegistryUnavailableError } from '../../registry/index.js';
import { JOB, MINUTE, OneProcess, SECOND, SERVER } from '@test/support/unit/one-process.js';

const NORMAL = ['0 NORMAL_TRIGGER', '1 NORMAL_TRIGGER'];

let process: OneProcess;
beforeEach(() => start());
afterEach(() => process.stop());

it('catches up on a fire time whose begin got no answer, once the registry answers again', async () => {
  await process.advance(MINUTE);
  failNextTransaction();

  await process.advance(MINUTE);

  expect(process.runs).toEqual([...NORMAL, '0 MISFIRE', '1 MISFIRE']);
});

it('resumes the work of a leader that got no answer, once the registry answers again', async () => {
  failNextTransaction(); // The transaction that would delete the flag.

  await process.operator.create(`/${JOB}/leader/sharding/necessary`, '', 'PERSISTENT');
  await process.advance(1_000);

  expect(await process.operator.exists(`/${JOB}/leader/sharding/necessary`)).toBeUndefined();
  expect(process.toldOf('error')).toEqual([]);
});

it('claims an item whose claim got no answer, once the registry answers again', async () => {
  await process.advance(MINUTE);
  failNextTransaction(); // The claim.

  await process.queueUnfinished(0);
  await process.advance(1_000);

  expect(process.runs).toEqual([...NORMAL, '0 FAILOVER']);
});

it('joins a job whose registration got no answer, once the registry answers again', async () => {
  await process.clock.advanceUntil(process.runtime.registrar.remove(JOB));
  const adding = process.runtime.registrar.register(process.job());
  failNextTransaction(); // Nothing is left to install, so the next transaction is the registration.

  await process.clock.advanceUntil(adding);

  expect(process.runtime.status().jobs).toMatchObject([{ isJoined: true }]);
});

it('claims nothing while the instance leaves, even if a user asks it to', async () => {
  process.work = ({ shardingItem }) => shardingItem === 1 && new Promise(() => {});
  await process.advance(MINUTE);
  await process.queueUnfinished(0); // A busy instance leaves it to idle ones for a moment.

  const stopping = process.runtime.stop();
  const claimed = await process.runtime.failover.claim(JOB);

  expect(claimed.size).toBe(0);
  await process.clock.advanceUntil(stopping);
  expect(process.runs).toEqual(NORMAL);
});

it('runs an item once at a time without marks, even if two fire times wait for one answer', async () => {
  await process.clock.advanceUntil(process.runtime.registrar.remove(JOB));
  const job = process.job({ cron: '* * * * * ?', monitorExecution: false, failover: false, overwrite: true });
  await process.clock.advanceUntil(process.runtime.registrar.register(job));
  process.work = ({ shardingItem }) => shardingItem === 1 && new Promise(() => {});

  process.registry.cut(process.center.session.id!, 'replies');
  await process.advance(2_500);
  process.registry.uncut(process.center.session.id!, 'replies');
  await process.advance(100);

  expect(process.runs.filter((run) => run === '1 NORMAL_TRIGGER')).toHaveLength(1);
  expect(await process.operator.exists(`/${JOB}/sharding/1/misfire`)).toBeUndefined();
});

it('aborts a run that is cancelled before its begin is answered', async () => {
  await process.operator.ensurePath(process.path('cancel'));
  process.work = (context) => process.hang(context);
  let isCancelled = false;
  afterTransactions(async () => {
    const run = (await recordOf(0))?.run;
    if (run === undefined || isCancelled) return;
    isCancelled = true;
    await process.operator.create(process.path('cancel/0'), run, 'PERSISTENT');
  });
  await process.advance(MINUTE);
  expect(process.toldOf('settled').map(({ item, outcome }) => [item, outcome])).toEqual([
    [0, { kind: 'aborted', reason: expect.any(CancelledError) }],
  ]);
});

it('runs a job that is started after this one, but not while it is paused', async () => {
  const { registrar } = process.runtime;
  const after = process.job({ name: 'report', cron: undefined, after: [JOB], shardingTotalCount: 1 });
  await process.clock.advanceUntil(registrar.register(after));
  await process.advance(MINUTE);
  expect(process.runs).toEqual([...NORMAL, 'report NORMAL_TRIGGER']);
  registrar.pause('report');
  await process.advance(MINUTE);
  registrar.resume('report');
  await process.advance(SECOND);
  expect([process.runs.slice(3), process.toldOf('error')]).toEqual([NORMAL, []]);
});

it('reports nothing as refused if the items are free', async () => {
  await process.advance(2 * MINUTE);
  expect([process.runs, process.toldOf('refused')]).toEqual([[...NORMAL, ...NORMAL], []]);
});

it('catches up on a fire time of an item that still ran, at the end of that run', async () => {
  process.work = (context) => context.shardingItem === 1 && process.hang(context);
  await process.advance(2 * MINUTE);
  expect(process.toldOf('refused')).toMatchObject([{ items: [1], cause: 'still running' }]);
  expect(process.toldOf('misfired')).toMatchObject([{ items: [1] }]);
  await process.release();
  expect(process.runs).toEqual([...NORMAL, '0 NORMAL_TRIGGER', '1 MISFIRE']);
});

it('catches up on a fire time of an item that others have marked, once it is released', async () => {
  await process.untilSecond(58);
  await process.mark(0);
  await process.advance(3 * SECOND);
  expect(process.toldOf('refused')).toMatchObject([{ items: [0], cause: 'busy' }]);
  expect(process.toldOf('misfired')).toMatchObject([{ items: [0] }]);
  await process.unmark(0);
  await process.advance(100);
  expect(process.runs).toEqual(['1 NORMAL_TRIGGER', '0 MISFIRE']);
});

it('claims a waiting item at once after its mark is released', async () => {
  await process.advance(MINUTE);
  await process.mark(0);
  await process.queueUnfinished(0);
  await process.advance(SECOND);
  expect(process.runs).toEqual(NORMAL);
  await process.unmark(0);
  await process.advance(100);
  expect(process.runs).toEqual([...NORMAL, '0 FAILOVER']);
});

it('claims a waiting item at once after a run has ended and freed a slot', async () => {
  await restart({ concurrency: 1 });
  process.work = (context) => context.shardingItem === 1 && process.hang(context);
  await process.advance(MINUTE);
  await process.queueUnfinished(0);
  await process.advance(SECOND);
  expect(process.runs).toEqual(NORMAL);
  await process.release();
  expect(process.runs).toEqual([...NORMAL, '0 FAILOVER']);
});

it('reports that the leader cannot reshard in time, and runs the job', async () => {
  await restart({ shardingTimeoutMs: SECOND });
  const flag = process.path('leader/sharding/necessary');
  const { center } = process;
  const transaction = center.transaction.bind(center);
  center.transaction = (operations, options) =>
    operations.some(({ path }) => path === flag) ? Promise.reject(unanswered()) : transaction(operations, options);
  await process.untilSecond(55);
  await process.operator.create(flag, '', 'PERSISTENT');
  await process.advance(5_900);
  expect(process.runs).toEqual([]);
  await process.advance(200);
  expect([process.runs, process.toldOf('sharding-timeout').length]).toEqual([NORMAL, 1]);
});

it('never catches up on a fire time at which the item was disabled, even in a new session', async () => {
  await process.advance(MINUTE);
  const disabled = process.path('sharding/0/disabled');
  await process.operator.create(disabled, '', 'PERSISTENT');
  await process.advance(MINUTE);
  await process.operator.delete(disabled);
  await process.advance(SECOND);
  process.registry.expire(process.center.session.id!);
  await process.advance(10 * SECOND);
  expect(process.runtime.status().jobs).toMatchObject([{ isJoined: true }]);
  expect(process.runs).toEqual([...NORMAL, '1 NORMAL_TRIGGER']);
});

it('catches up at once on a fire time of an item that goes round and gets here late', async () => {
  await restart({ strategy: 'SINGLE_SHARDING_BALANCE', shardingTotalCount: 1 });
  await process.advance(MINUTE);
  const other = { serverIp: '10.0.0.9', jobInstanceId: '10.0.0.9@-@1' };
  await process.operator.create(process.path(`servers/${other.serverIp}`), 'ENABLED', 'PERSISTENT');
  await process.operator.create(process.path(`instances/${other.jobInstanceId}`), formatInstance(other), 'EPHEMERAL');
  await process.operator.set(process.path('next-job-instance-ip'), other.serverIp);
  await process.advance(MINUTE);
  expect(process.runs).toEqual(['0 NORMAL_TRIGGER']);
  await process.operator.set(process.path('next-job-instance-ip'), SERVER);
  await process.advance(100);
  expect(process.runs).toEqual(['0 NORMAL_TRIGGER', '0 MISFIRE']);
});

async function start(options?: Partial<JobOptions>): Promise<void> {
  process = await OneProcess.start(options, { drainTimeoutMs: SECOND });
}

/** Another process with a registry client of its own. */
async function restart(options: Partial<JobOptions>): Promise<void> {
  await process.stop();
  await start(options);
}

async function recordOf(item: number): Promise<{ readonly run: string } | undefined> {
  const { data = '' } = (await process.operator.read(process.path(`sharding/${item}/record`))) ?? {};
  return data === '' ? undefined : JSON.parse(data);
}

/** Called between a commit and its reply. */
function afterTransactions(happen: () => Promise<void>): void {
  const { center } = process;
  const transaction = center.transaction.bind(center);
  center.transaction = async (...request) => {
    const result = await transaction(...request);
    await happen();
    return result;
  };
}

function unanswered(): RegistryUnavailableError {
  return new RegistryUnavailableError('transaction', 'not-applied', 'no answer within 5000 ms');
}

/** The connection stays, but one request is lost before it arrives and gets no answer. */
function failNextTransaction(): void {
  const { center } = process;
  const transaction = center.transaction.bind(center);
  center.transaction = () => {
    center.transaction = transaction;
    return Promise.reject(unanswered());
  };
}
