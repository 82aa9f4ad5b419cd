import { afterEach, describe, expect, it } from 'vitest';
import type { TestJobHandler } from '../../libs/elastic-job/src/testing/index.js';
import { HourlyJob, JOB } from './support/hourly-job.js';
import { operatorOf, traces } from './support/registry-walk.js';
import { itemsOf } from './support/run-checks.js';

let job: HourlyJob;
afterEach(() => job.stop());

describe('an instance that leaves in order', () => {
  it('lets items end undisturbed within the deadline, and leaves nothing behind', async () => {
    job = await HourlyJob.start({ instances: 1, handler: (_context, { clock }) => clock.sleep(5_000) });
    await job.untilNextHour(1_000);

    await job.cluster.leave(0);

    expect(job.runs().map(({ startedAt, endedAt }) => endedAt! - startedAt)).toEqual([5_000, 5_000, 5_000]);
    expect(job.outcomes(0)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(job.events(0).filter(({ kind }) => kind === 'error')).toEqual([]);
    expect(await traces(await operatorOf(job.cluster), JOB)).toEqual([]);
    expect(job.cluster.clock.pendingTimers).toBe(0);
  });

  it('waits for what it begins when it leaves while it catches up on items that it takes over', async () => {
    for (let moment = 0; moment <= 900; moment += 50) {
      const handler: TestJobHandler = (_context, { clock }) => clock.sleep(6_000);
      job = await HourlyJob.start({ instances: 1, total: 2, cron: '0/2 * * * * ?', latencyMs: 200, handler });
      while (job.runs().length < 2) await job.advance(10);
      await job.cluster.join();
      while (job.runs().some(({ endedAt }) => endedAt === undefined)) await job.advance(10);

      await job.advance(moment);
      await job.cluster.leave(1);

      const runs = job.runsOf(1);
      const cutShort = runs.filter(({ startedAt, endedAt }) => endedAt !== startedAt + 6_000);
      expect(cutShort, `leaving ${moment} ms after the release`).toEqual([]);
      await job.stop();
    }
  }, 20_000);

  it.each(['leader', 'follower'])('hands the items of a %s over within 500 ms, and ends what runs', async (role) => {
    job = await HourlyJob.start({ instances: 3, handler: (_context, { clock }) => clock.sleep(25_000) });
    await job.untilNextHour(1_000);
    const leaver = job.leading().indexOf(role === 'leader');

    const leaving = job.cluster.instances[leaver]!.runtime.stop();
    const handOverMs = await timeUntil(() => ![...job.cluster.assignment(JOB).values()].includes(leaver));

    expect(handOverMs).toBeLessThanOrEqual(500);
    expect(job.runs().every(({ endedAt }) => endedAt === undefined)).toBe(true);
    await job.advance(30_000);
    await leaving;
    expect(job.outcomes(leaver)).toEqual(['succeeded']);
    expect(job.runs()).toHaveLength(3);
  });

  it('lets others run its free items at a fire time during the drain, and the rest once they are free', async () => {
    job = await HourlyJob.start({
      instances: 2,
      total: 4,
      cron: '0/10 * * * * ?',
      handler: ({ shardingItem }, { clock }) => clock.sleep(shardingItem === 0 ? 15_000 : 100),
    });
    await job.untilNextHour(1_000);
    const fireTime = job.cluster.clock.wallNow() - (job.cluster.clock.wallNow() % 10_000) + 10_000;
    const holder = job.runs().find(({ item }) => item === 0)!.instance;

    const leaving = job.cluster.instances[holder]!.runtime.stop();
    await job.advance(fireTime - job.cluster.clock.wallNow() + 50);
    const onTime = job.runs().filter((run) => run.fireTime === fireTime);
    await job.advance(6_000);
    await leaving;

    expect(itemsOf(onTime)).toEqual([1, 2, 3]);
    expect(onTime.every(({ instance }) => instance !== holder)).toBe(true);
    const late = job.runs().find((run) => run.item === 0 && run.fireTime === fireTime)!;
    expect(late).toMatchObject({ instance: 1 - holder, source: 'MISFIRE' });
  });

  it('runs a begin whose answer is on its way to its end first', async () => {
    job = await HourlyJob.start({ instances: 2, latencyMs: 100, handler: (_context, { clock }) => clock.sleep(1_000) });
    const follower = job.leading().indexOf(false);
    const own = [...job.cluster.assignment(JOB)].flatMap(([item, owner]) => (owner === follower ? [item] : []));
    await job.untilNextHour();
    await job.advance(150); // The sync is answered, the begin is not.
    expect(job.runs()).toEqual([]);

    await job.cluster.leave(follower);

    expect(job.outcomes(follower)).toEqual(own.map(() => 'succeeded'));
  });

  it('begins nothing at fire times during its drain', async () => {
    job = await HourlyJob.start({
      instances: 1,
      cron: '0/1 * * * * ?',
      handler: ({ shardingItem }, { clock }) => clock.sleep(shardingItem === 0 ? 5_000 : 100),
    });
    await job.advance(3_500);
    const begun = job.runs().length;

    await job.cluster.leave(0);

    expect(job.runs().length).toBe(begun);
  });

  it('begins nothing of what it has just learnt to owe', async () => {
    job = await HourlyJob.start({ instances: 2, latencyMs: 100 });
    await job.untilNextHour(1_000);
    await job.untilNextHour(-1_000);
    job.cluster.crash(1);
    await job.advance(5_000);
    while (new Set(job.cluster.assignment(JOB).values()).size > 1) await job.advance(10);
    const begun = job.runs().length;

    await job.cluster.leave(0);

    expect(job.runs().length).toBe(begun);
  });

  it('hands the lead over at once even if its items take long to end', async () => {
    job = await HourlyJob.start({ instances: 3, handler: (_context, { clock }) => clock.sleep(25_000) });
    await job.untilNextHour(1_000);
    const leader = job.leading().indexOf(true);

    const leaving = job.cluster.instances[leader]!.runtime.stop();
    await job.advance(2_000);

    const leaders = job.leading();
    expect(leaders.filter(Boolean)).toHaveLength(1);
    expect(leaders[leader]).toBe(false);
    await job.advance(30_000);
    await leaving;
  });
});

describe('an instance that leaves while it cannot reach the registry', () => {
  it('gives one warning that it cannot reach the registry, and no error', async () => {
    job = await HourlyJob.start({ instances: 2 });
    job.cluster.partition(0);

    await job.cluster.leave(0);

    const told = job.events(0).filter(({ kind }) => kind === 'warning' || kind === 'error');
    expect(told).toMatchObject([{ kind: 'warning', jobName: JOB }]);
    await job.advance(60_000);
    expect(new Set(job.cluster.assignment(JOB).values())).toEqual(new Set([1]));
  });

  it('is gone from a removed job once it can reach the registry again', async () => {
    job = await HourlyJob.start({ instances: 2 });
    job.cluster.partition(0);
    const removal = job.cluster.instances[0]!.runtime.registrar.remove(JOB);
    await job.advance(3_000);

    await job.cluster.heal(0);
    await job.advance(5_000);
    await removal;

    expect(new Set(job.cluster.assignment(JOB).values())).toEqual(new Set([1]));
  });
});

/** Virtual time until a condition holds, in milliseconds; a minute if it never does. */
async function timeUntil(isSo: () => boolean): Promise<number> {
  const start = job.cluster.clock.monotonicNow();
  while (!isSo() && job.cluster.clock.monotonicNow() - start < 60_000) await job.advance(1);
  return job.cluster.clock.monotonicNow() - start;
}
