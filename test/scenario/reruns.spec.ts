import { afterEach, describe, expect, it } from 'vitest';
import { JOB, MINUTE, RerunJob, SECOND } from './support/rerun-job.js';

let job: RerunJob;
afterEach(() => job.stop());

describe('a re-run of past fire times', () => {
  it('runs each fire time once for each of its items, oldest first, and is over then', async () => {
    job = await RerunJob.start();
    await job.untilNextMinute(5 * SECOND);

    await job.ask('r', [0, 2], [30, 10, 20], { parameters: 'region=eu' });
    await job.advance(15 * SECOND);

    expect([0, 1, 2].map((item) => job.ranFor(item))).toEqual([
      ['due', 'r 30', 'r 20', 'r 10'],
      ['due'],
      ['due', 'r 30', 'r 20', 'r 10'],
    ]);
    const { trigger, fireTime } = job.calls.at(-1)!.context;
    expect({ trigger, fireTime }).toEqual({
      trigger: { id: 'r', parameters: 'region=eu' },
      fireTime: new Date(job.ago(10)),
    });
    expect(await job.isOpen('r')).toBe(false);
  });

  it('begins after those that were asked for before it', async () => {
    job = await RerunJob.start();
    await job.untilNextMinute(5 * SECOND);

    await job.ask('second', [0], [50, 40], { at: 2 });
    await job.ask('first', [0], [30, 20], { at: 1 });
    await job.advance(20 * SECOND);

    expect(job.ranFor(0)).toEqual(['due', 'first 30', 'first 20', 'second 50', 'second 40']);
  });

  it('counts what has failed, and goes on', async () => {
    job = await RerunJob.start({
      handler: ({ trigger, fireTime }) => {
        if (trigger !== 'schedule' && fireTime.getTime() === job.ago(20)) throw new Error('no such file');
      },
    });
    await job.untilNextMinute(5 * SECOND);

    await job.ask('r', [0, 1], [30, 20]);
    await job.advance(900);

    expect(await job.progress('r', 0)).toBe('2 ended, 1 failed');
    await job.advance(5 * SECOND);
    expect(await job.isOpen('r')).toBe(false);
  });

  it('waits for items and jobs that are disabled', async () => {
    job = await RerunJob.start({ instances: 1 });
    await job.untilNextMinute(5 * SECOND);
    await job.operator.create(job.paths.mark(0, 'disabled'), '', 'PERSISTENT');

    await job.ask('r', [0, 1], [20]);
    await job.advance(10 * SECOND);
    expect([job.ranFor(0), job.ranFor(1)]).toEqual([['due'], ['due', 'r 20']]);

    const [server] = await job.operator.children(job.paths.servers);
    await job.operator.set(job.paths.server(server!), 'DISABLED');
    await job.operator.delete(job.paths.mark(0, 'disabled'));
    await job.advance(10 * SECOND);
    expect(job.ranFor(0)).toEqual(['due']);

    await job.operator.set(job.paths.server(server!), 'ENABLED');
    await job.advance(10 * SECOND);
    expect(job.ranFor(0)).toEqual(['due', 'r 20']);
    expect(await job.isOpen('r')).toBe(false);
  });

  it('begins nothing more once it is withdrawn, and the leader removes what is left of it', async () => {
    job = await RerunJob.start();
    await job.untilNextMinute(5 * SECOND);
    await job.ask('r', [0, 1, 2], [40, 30, 20]);
    await job.advance(3 * SECOND);

    await job.withdraw('r');
    await job.advance(10 * SECOND);

    for (const item of [0, 1, 2]) expect(job.ranFor(item)).toEqual(['due', 'r 40', 'r 30']);
    expect(job.calls.every(({ isEnded }) => isEnded)).toBe(true);
    expect(await job.isOpen('r')).toBe(false);
  });

  it('is over for items that a smaller total has ended', async () => {
    job = await RerunJob.start();
    await job.untilNextMinute(5 * SECOND);
    await job.ask('r', [0, 2], [40, 30, 20]);
    await job.advance(3 * SECOND);

    await job.edit(/shardingTotalCount: 3/, 'shardingTotalCount: 2');
    await job.advance(20 * SECOND);

    expect(job.ranFor(0)).toEqual(['due', 'r 40', 'r 30', 'r 20']);
    expect(job.ranFor(2)).toEqual(['due', 'r 40', 'r 30']);
    expect(await job.isOpen('r')).toBe(false);
  });

  it('waits while an instance of an earlier release is there', async () => {
    job = await RerunJob.start({ instances: 1 });
    await job.untilNextMinute(5 * SECOND);
    const old = '10.0.0.77@-@1';
    const text = `jobInstanceId: ${old}\nlabels: nestjs-elastic-job/1 v=1.0.0\nserverIp: 10.0.0.77\n`;
    await job.operator.create(job.paths.instance(old), text, 'EPHEMERAL');
    await job.advance(5 * SECOND);

    await job.ask('r', [0], [20, 10]);
    await job.advance(20 * SECOND);
    expect(job.ranFor(0)).toEqual(['due']);

    await job.operator.delete(job.paths.instance(old));
    await job.advance(10 * SECOND);
    expect(job.ranFor(0)).toEqual(['due', 'r 20', 'r 10']);
  });

  it('waits beside a Java peer', async () => {
    job = await RerunJob.start({ instances: 1 });
    await job.untilNextMinute(5 * SECOND);
    await job.operator.create(job.paths.instance('10.0.0.77@-@4711'), '', 'EPHEMERAL');

    await job.ask('r', [0], [20]);
    await job.advance(10 * SECOND);

    expect(job.ranFor(0)).toEqual(['due']);
  });
});

describe('a re-run beside the schedule', () => {
  it.each([
    ['once', ['due', 'r 30', 'due MISFIRE', 'r 20']],
    ['all', ['due', 'r 30', 'due MISFIRE', 'r 20']],
    ['skip', ['due', 'r 30', 'r 20']],
  ] as const)('leaves the way to a fire time that comes meanwhile, with the policy "%s"', async (policy, ran) => {
    job = await RerunJob.start({ misfirePolicy: policy, handler: (_context, { clock }) => clock.sleep(20 * SECOND) });
    await job.untilNextMinute(50 * SECOND);

    await job.ask('r', [0], [30, 20]);
    await job.advance(59 * SECOND);

    expect(job.ranFor(0)).toEqual(ran);
  });

  it('neither pays nor makes a debt of it', async () => {
    job = await RerunJob.start({ instances: 1 });
    await job.untilNextMinute(5 * SECOND);
    await job.ask('r', [0], [30, 20]);
    await job.advance(10 * SECOND);

    const lastScheduled = job.calls[0]!.context.fireTime.getTime();
    expect(await job.record(0)).toMatchObject({ lastScheduled, target: { origin: 'rerun:r' } });
    await job.untilNextMinute(5 * SECOND);
    expect(job.ranFor(0)).toEqual(['due', 'r 30', 'r 20', 'due']);
    expect(job.cluster.events(0).filter(({ kind }) => kind === 'missed' || kind === 'late')).toEqual([]);
  });

  it.each([
    ['once', ['r 30', 'due MISFIRE'], 0],
    ['skip', ['r 30'], 1],
  ] as const)(
    'owes what comes while it is the first to run an item, with the policy "%s"',
    async (policy, ran, missed) => {
      job = await RerunJob.start({
        instances: 1,
        misfirePolicy: policy,
        handler: (_context, { clock }) => clock.sleep(20 * SECOND),
      });
      await job.advance(MINUTE - (job.cluster.clock.wallNow() % MINUTE) - 10 * SECOND);

      await job.ask('r', [0], [30]);
      await job.advance(90 * SECOND);

      expect(job.ranFor(0).slice(0, ran.length)).toEqual(ran);
      const told = job.cluster.events(0).filter((event) => event.kind === 'missed' && event.items.includes(0));
      expect(told).toHaveLength(missed);
    },
  );

  it('runs a fire time again that the schedule owes, which pays nothing', async () => {
    job = await RerunJob.start({ instances: 1 });
    await job.untilNextMinute(5 * SECOND);
    const due = job.cluster.clock.wallNow() - 5 * SECOND + MINUTE;
    job.cluster.partition(0);
    await job.untilNextMinute(30 * SECOND);
    const minutes = (job.ago(0) - due) / MINUTE;

    await job.ask('r', [0], [minutes]);
    await job.cluster.heal(0);
    await job.advance(20 * SECOND);

    expect(job.ranFor(0)).toEqual(['due', 'due MISFIRE', `r ${minutes}`]);
  });

  it('starts no job that runs after this one', async () => {
    const child = { name: 'report', after: JOB, shardingTotalCount: 1, handler: () => {} };
    job = await RerunJob.start({ others: [child] });
    await job.untilNextMinute(20 * SECOND);
    expect(job.cluster.runs('report')).toHaveLength(1);

    // The last one is later than all that have started it.
    const fireTimes = [job.ago(30), job.ago(20), job.cluster.clock.wallNow() - 5 * SECOND];
    await job.ask('r', [0, 1, 2], [], { fireTimes, anyTime: true });
    await job.advance(20 * SECOND);

    expect(job.ranFor(0)).toHaveLength(4);
    expect(job.cluster.runs('report')).toHaveLength(1);
  });

  it('leaves its checkpoint alone', async () => {
    const loaded: unknown[] = [];
    job = await RerunJob.start({
      shardingTotalCount: 1,
      handler: async ({ checkpoint, trigger }) => {
        const before = await checkpoint.load();
        await checkpoint.save(trigger === 'schedule' ? 'of the schedule' : 'of the re-run');
        loaded.push(before, await checkpoint.load());
        if (trigger !== 'schedule') await checkpoint.clear();
      },
    });
    await job.untilNextMinute(5 * SECOND);

    await job.ask('r', [0], [30]);
    await job.advance(5 * SECOND);

    expect(loaded).toEqual([undefined, 'of the schedule', undefined, undefined]);
    expect(await job.operator.read(job.paths.mark(0, 'checkpoint'))).toMatchObject({ data: '"of the schedule"' });
  });
});

describe('a re-run while instances come and go', () => {
  const MINUTES = [60, 50, 40, 30, 20, 10];
  const ALL = MINUTES.map((minutes) => `r ${minutes}`);

  /** The targets of an item that have ended, whatever has begun them. */
  function ended(item: number): string[] {
    const ran = job.ranFor(item, job.ended).map((what) => what.replace(/ (MISFIRE|FAILOVER)$/, ''));
    return ran.filter((what) => what !== 'due');
  }

  it.each([true, false])('loses no target in a crash, and ends each once (failover: %s)', async (failover) => {
    job = await RerunJob.start({ instances: 3, failover });
    await job.untilNextMinute(5 * SECOND);
    await job.ask('r', [0, 1, 2], MINUTES);
    await job.advance(3 * SECOND);

    job.cluster.crash(0);
    await job.advance(60 * SECOND);

    for (const item of [0, 1, 2]) expect(ended(item)).toEqual(ALL);
    expect(await job.isOpen('r')).toBe(false);
    const tokens = job.calls.map(({ context }) => context).filter(({ shardingItem }) => shardingItem === 0);
    expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a.token! - b.token!)));
  });

  it('goes on after a crash of all', async () => {
    job = await RerunJob.start({ instances: 2 });
    await job.untilNextMinute(5 * SECOND);
    await job.ask('r', [0, 1, 2], MINUTES);
    await job.advance(3 * SECOND);

    job.cluster.crash(0);
    job.cluster.crash(1);
    await job.advance(30 * SECOND);
    await job.cluster.join();
    await job.advance(60 * SECOND);

    for (const item of [0, 1, 2]) expect(ended(item)).toEqual(ALL);
    expect(await job.isOpen('r')).toBe(false);
  });

  it('runs nothing twice as items move', async () => {
    job = await RerunJob.start({ instances: 1, handler: (_context, { clock }) => clock.sleep(900) });
    await job.untilNextMinute(5 * SECOND);
    await job.ask('r', [0, 1, 2], MINUTES);
    await job.advance(1_200);

    await job.cluster.join();
    await job.cluster.join();
    await job.cluster.leave(0);
    await job.advance(20 * SECOND);

    for (const item of [0, 1, 2]) expect(ended(item)).toEqual(ALL);
    expect(job.calls).toHaveLength(3 + 3 * MINUTES.length);
    expect(new Set(job.calls.map(({ instance }) => instance)).size).toBeGreaterThan(1);
  });

  it('takes an end that an instance of an earlier release has recorded for the end of its target', async () => {
    job = await RerunJob.start({ instances: 1, failover: false, shardingTotalCount: 1 });
    await job.untilNextMinute(5 * SECOND);
    job.cluster.partition(0);
    await job.advance(20 * SECOND);
    const record = await job.record(0);
    const target = { fireTime: job.ago(20), origin: 'rerun:r' };
    await job.ask('r', [0], [20, 10]);
    await job.operator.set(job.paths.record(0), JSON.stringify({ ...record, run: 'old', target }));

    await job.cluster.heal(0);
    await job.advance(10 * SECOND);

    expect(job.ranFor(0)).toEqual(['due', 'r 10']);
    expect(await job.isOpen('r')).toBe(false);
  });
});
