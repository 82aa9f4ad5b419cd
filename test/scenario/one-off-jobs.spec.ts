import { afterEach, describe, expect, it } from 'vitest';
import { editConfig, idOf } from './support/operators.js';
import { itemsOf } from './support/run-checks.js';
import { JOB, MINUTE, TriggeredJob } from './support/triggered-job.js';

let job: TriggeredJob;
afterEach(() => job.stop());

describe('a one-off job', () => {
  it.each([
    ['few', 'p'],
    ['many', 'p'.repeat(50_000)],
  ])("with failover and %s parameters, runs a dead instance's items for the same trigger", async (_, parameters) => {
    job = await TriggeredJob.start({
      instances: 2,
      failover: true,
      handler: ({ source }, { clock }) => source !== 'FAILOVER' && clock.sleep(MINUTE),
    });
    await job.ask({ id: 'a', parameters });
    await job.advance(1_000);
    const lost = itemsOf(job.runs().filter(({ instance }) => instance === 0));

    job.cluster.crash(0);
    await job.advance(15_000);

    const again = job.contexts.filter(({ source }) => source === 'FAILOVER');
    expect(itemsOf(job.runs().filter(({ source }) => source === 'FAILOVER'))).toEqual(lost);
    for (const { trigger } of again) expect(trigger).toEqual({ id: 'a', parameters });
  });

  it('stops when a schedule is removed, and goes on by itself when it is back (fault 20)', async () => {
    job = await TriggeredJob.start({ instances: 2, cron: '0 * * * * ?' });
    await job.untilNextMinute(1_000);
    expect(job.runs()).toHaveLength(4);

    await editConfig(job.operator, JOB, /^cron: .*\n/m, '');
    await job.advance(3 * MINUTE);
    expect(job.runs()).toHaveLength(4);
    const [status] = job.cluster.instances[0]!.runtime.status().jobs;
    expect(status).toMatchObject({ isJoined: true, problem: undefined, nextFireTime: undefined });
    await job.ask({ id: 'a' });
    await job.advance(1_000);
    expect(job.runs()).toHaveLength(8);

    await editConfig(job.operator, JOB, /^/, 'cron: 30 * * * * ?\n');
    await job.advance(1_000);
    expect(job.runs()).toHaveLength(8);
    await job.advance(MINUTE);
    expect(job.runs()).toHaveLength(12);
    expect(
      job
        .runs()
        .slice(8)
        .every(({ fireTime }) => fireTime % MINUTE === 30_000),
    ).toBe(true);
  });

  it('does not tick on an instance that was shut down before it became a scheduled one', async () => {
    job = await TriggeredJob.start({ instances: 1 });
    await job.operator.delete(`/${JOB}/instances/${idOf(job.cluster, 0)}`);
    await editConfig(job.operator, JOB, /^/, 'cron: 0 * * * * ?\n');

    await job.advance(2 * MINUTE);

    expect(job.cluster.instances[0]!.runtime.registrar.isTicking(JOB)).toBe(false);
  });
});
