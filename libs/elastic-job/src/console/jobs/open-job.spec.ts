import { configOf, JAVA, OWN, plant, type PlantedJob, recordOf, SERVER_IP } from '@test/support/unit/console-jobs.js';
import { idOf, MemoryStage } from '@test/support/unit/memory-stage.js';
import { describe, expect, it, vi } from 'vitest';
import { JobIndex, type JobIndexParts } from './job-index.js';

const FIRED = Date.UTC(2029, 11, 31, 23);
const AUDITED = { by: 'ann', at: '2029-12-31T22:00:00.000Z', reason: 'INC-4182' };

describe('an open job', () => {
  it('is shown with its servers and instances', async () => {
    const sessions = { [OWN]: 'DRAINING' };
    const planted = { instances: [OWN, JAVA], items: 3, config: ["description: '[x] does it'"], sessions };
    const versions = { [OWN]: '1.43.1' };
    const { stage, stop, index } = await setUp({ job: { ...planted, versions } });
    const open = index.open('job');

    const answer = await stage.during(() => open.job());

    expect(answer).toMatchObject({ job: 'job', label: 'x', description: '[x] does it', after: [], disabled: null });
    expect(answer).toMatchObject({ configVersion: 0, stale: false, instances: 2, javaInstances: 1 });
    expect(answer.servers).toEqual([
      { ip: '10.0.0.8', disabled: false, instances: 1 },
      { ip: SERVER_IP, disabled: false, instances: 1 },
    ]);
    expect(answer.members).toEqual([
      { instance: JAVA, ip: '10.0.0.8', java: true, version: null, leader: false, draining: false, items: [1] },
      { instance: OWN, ip: SERVER_IP, java: false, version: '1.43.1', leader: true, draining: true, items: [0, 2] },
    ]);
    await stop(open);
  });

  it('says who has disabled it, and what a new server does', async () => {
    const { stage, stop, index } = await setUp(
      { job: { servers: { [SERVER_IP]: 'DISABLED' }, config: ['disabled: true'] } },
      { disabledBy: async ([{ job } = {}]) => [{ ...AUDITED, reason: `of ${job}` }] },
    );
    const open = index.open('job');

    expect((await stage.during(() => open.job())).disabled).toEqual({
      ...AUDITED,
      reason: 'of job',
      newServers: 'disabled',
    });
    await stop(open);
  });

  it('shows its items with their last runs, by pages', async () => {
    const { stage, stop, index } = await setUp(
      {
        job: {
          items: 3,
          config: ["shardingItemParameters: '0=EU,2=US'"],
          records: { 0: recordOf('failed', FIRED), 1: recordOf(undefined, FIRED) },
          running: [1],
          disabledItems: [2],
          queued: [0],
        },
      },
      {
        disabledBy: async () => [AUDITED],
        errorsOf: async (job, runs) => new Map(runs.map(({ item, run }) => [item, `${job} ${item} ${run}`])),
      },
    );
    const open = index.open('job');

    const first = await stage.during(() => open.items({ limit: 2 }));
    const second = await stage.during(() => open.items({ limit: 2, cursor: first.cursor! }));

    expect(first).toMatchObject({ total: 3, stale: false });
    expect(first.items).toEqual([
      expect.objectContaining({
        item: 0,
        parameter: 'EU',
        status: 'PENDING',
        owner: OWN,
        holder: null,
        queued: expect.stringMatching(/^2030-01-01T00:00:00/),
        lastRun: {
          run: 'r1',
          instance: OWN,
          fireTime: '2029-12-31T23:00:00.000Z',
          origin: 'schedule',
          outcome: 'failed',
          cause: null,
          launch: null,
          token: null,
          begunAt: '2029-12-31T23:00:00.000Z',
          settledAt: '2029-12-31T23:00:01.000Z',
          error: 'job 0 r1',
        },
      }),
      expect.objectContaining({ item: 1, parameter: null, status: 'RUNNING', holder: OWN }),
    ]);
    expect(first.items[1]?.lastRun).toMatchObject({
      outcome: null,
      token: expect.stringMatching(/^\d+$/),
      error: null,
    });
    expect(second).toMatchObject({ items: [{ item: 2, status: 'DISABLED', disabled: AUDITED }], cursor: null });
    expect(await stage.during(() => open.item(2))).toEqual(second.items[0]);
    expect(await stage.during(() => open.item(3))).toBeUndefined();
    expect(await stage.during(() => open.failover())).toMatchObject({
      items: [{ item: 0, since: first.items[0]!.queued, lastRun: { run: 'r1' } }],
    });
    await stop(open);
  });

  it('asks once for all disabled items of a page by whom they were disabled', async () => {
    const items = Array.from({ length: 200 }, (_, item) => item);
    const disabledBy = vi.fn<NonNullable<JobIndexParts['disabledBy']>>(async (targets) =>
      targets.map(({ item }) => ({ ...AUDITED, reason: `of ${item}` })),
    );
    const { stage, stop, index } = await setUp({ job: { items: 200, disabledItems: items } }, { disabledBy });
    const open = index.open('job');

    const page = await stage.during(() => open.items({ limit: 200 }));

    expect(disabledBy).toHaveBeenCalledTimes(1);
    expect(page.items.map(({ disabled }) => disabled?.reason)).toEqual(items.map((item) => `of ${item}`));
    await stop(open);
  });

  it('tells of each item that changes, and shows the change at once', async () => {
    const { center, stage, stop, index } = await setUp({ job: {} });
    const other = await stage.connected();
    const open = index.open('job');
    await stage.during(() => open.job());
    const heard: unknown[] = [];
    open.onChange((change) => heard.push(change));

    await other.create('/job/sharding/1/disabled', '', 'PERSISTENT');
    await other.set('/job/config', configOf('job', 5));
    await stage.clock.advance(0);

    expect(heard).toEqual([1, 'job']);
    expect(await stage.during(() => open.job())).toMatchObject({ disabledItems: [1], items: 5, configVersion: 1 });
    expect(center.traffic.foreground).toBeGreaterThan(0);
    await stop(open);
  });

  it('has one view for all who look at it, closed 30 s after the last has gone', async () => {
    const { center, stage, stop, index } = await setUp({ job: {} });
    const opened = vi.spyOn(center, 'openSubtree');
    const [one, two] = [index.open('job'), index.open('job')];
    await stage.during(() => Promise.all([one.job(), two.job()]));
    const view = await opened.mock.results[0]!.value;
    const closed = vi.spyOn(view, 'close');

    one.close();
    one.close();
    await stage.clock.advance(40_000);
    expect(closed).not.toHaveBeenCalled();
    two.close();
    await stage.clock.advance(29_000);
    expect(closed).not.toHaveBeenCalled();
    await stage.clock.advance(2_000);

    expect([opened.mock.calls.length, closed.mock.calls.length]).toEqual([1, 1]);
    await stop();
  });

  it('leaves no timer if it is closed after the end of the index', async () => {
    const { stage, stop, index } = await setUp({ job: {} });
    const open = index.open('job');
    await stop();

    open.close();

    expect(stage.clock.pendingTimers).toBe(0);
  });

  it('has no view beyond 64 open jobs, and is read every two seconds then', async () => {
    const jobs = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`job-${n}`, { items: 1 }]));
    const { center, stage, stop, index } = await setUp(jobs);
    const opened = vi.spyOn(center, 'openSubtree');
    const open = Object.keys(jobs).map((job) => index.open(job));
    await stage.clock.advance(0);
    const last = open.at(-1)!;
    const heard: unknown[] = [];
    last.onChange((change) => heard.push(change));

    await center.create('/job-64/sharding/0/disabled', '', 'PERSISTENT');
    await stage.clock.advance(4_500);

    expect(opened).toHaveBeenCalledTimes(64);
    expect(heard).toEqual(['all', 'all']);
    expect(await stage.during(() => last.job())).toMatchObject({ disabledItems: [0] });
    await stop(...open);
  });

  it('takes its row from the index while it has no view, so that streams do not read beyond its pace', async () => {
    const jobs = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`job-${n}`, { items: 10 }]));
    const { center, stage, stop, index } = await setUp(jobs);
    await stage.clock.advance(15_000);
    const open = Array.from({ length: 65 }, (_, n) => index.open(`job-${n}`));
    await stage.clock.advance(0);
    const read = vi.spyOn(center, 'readMany');
    const rows = await Promise.all(Array.from({ length: 20 }, () => open[64]!.row()));
    expect(rows.map(({ job }) => job)).toEqual(Array.from({ length: 20 }, () => 'job-64'));
    expect(read).not.toHaveBeenCalled();

    await center.create('/job-64/sharding/0/disabled', '', 'PERSISTENT');
    await stage.clock.advance(3_000);

    // A round of the others takes nine seconds.
    expect(await open[64]!.row()).toMatchObject({ disabledItems: [0] });
    await stop(...open);
  });

  it('has the view of a job that nobody looks at any more, if there are 64 others', async () => {
    const jobs = Object.fromEntries(Array.from({ length: 67 }, (_, n) => [`job-${n}`, { items: 1 }]));
    const { center, stage, stop, index } = await setUp(jobs);
    const opened = vi.spyOn(center, 'openSubtree');
    const open = Object.keys(jobs).map((job) => index.open(job));
    await stage.clock.advance(0);
    const views = await Promise.all(opened.mock.results.map(({ value }) => value));
    const closed = views.map((view) => vi.spyOn(view, 'close'));
    const closedJobs = () => closed.flatMap(({ mock }, n) => (mock.calls.length > 0 ? [n] : []));

    // The last one is not looked at either, so it takes no place.
    for (const job of [open[66]!, open[7]!, open[3]!, open[5]!]) job.close();
    await stage.clock.advance(6_500);

    expect(opened.mock.calls.slice(64).map(([path]) => path)).toEqual(['/job-64', '/job-65']);
    expect(closedJobs()).toEqual([3, 7]);
    await stop(...open);
  });

  it('answers the last facts while the registry is away, and follows the job in the next session', async () => {
    const { center, stage, stop, index } = await setUp({ job: {} });
    const other = await stage.connected();
    const open = index.open('job');
    await stage.during(async () => [await open.job(), await open.items({})]);

    stage.registry.suspend(idOf(center));
    await stage.clock.advance(1_000);
    expect(await stage.during(() => open.job())).toMatchObject({ status: 'OK', stale: true });
    expect(await stage.during(() => open.items({}))).toMatchObject({ total: 2, stale: true });

    await stage.clock.advance(20_000);
    await other.create('/job/sharding/1/disabled', '', 'PERSISTENT');
    stage.registry.resume(idOf(center));
    await stage.clock.advance(5_000);
    expect(await stage.during(() => open.job())).toMatchObject({ status: 'CRASHED', disabledItems: [1], stale: false });
    await stop(open);
  });

  it.each<readonly [string, PlantedJob['config']]>([
    ['its settings', ['cron: {', "description: '<script>'"]],
    ['parameters of its items', ["shardingItemParameters: '0=,=1'"]],
  ])('is shown also if %s cannot be read', async (_, config) => {
    const records = { 0: '{"run":'.repeat(1_000), 1: '\0binary' };
    const { stage, stop, index } = await setUp({ job: { ...(config && { config }), records } });
    const open = index.open('job');

    expect((await stage.during(() => open.job())).job).toBe('job');
    expect(await stage.during(() => open.items({}))).toMatchObject({
      items: [{ lastRun: null, parameter: null }, { lastRun: null }],
    });
    await stop(open);
  });

  it('leaves nothing once nobody looks if there is no such job, so made-up names take no place of others', async () => {
    const { center, stage, stop, index } = await setUp({ job: {} });
    const opened = vi.spyOn(center, 'openSubtree');
    const open = index.open('none');
    const asked = open.job().catch((error: unknown) => error);
    expect(await stage.during(() => asked)).toMatchObject({ status: 404 });
    const closed = vi.spyOn(await opened.mock.results[0]!.value, 'close');

    open.close();

    expect(closed).toHaveBeenCalledOnce();
    await stop();
  });

  it('is no job once it is gone', async () => {
    const { center, stage, stop, index } = await setUp({ job: {} });
    const open = index.open('job');
    await stage.during(() => open.job());

    await center.delete('/job/config');
    await stage.clock.advance(0);

    await expect(open.job()).rejects.toMatchObject({ status: 404, code: 'UNKNOWN_JOB' });
    await stop(open);
  });
});

async function setUp(jobs: Readonly<Record<string, PlantedJob>>, more: Partial<JobIndexParts> = {}) {
  const stage = new MemoryStage();
  const center = await stage.connected();
  for (const [job, planted] of Object.entries(jobs)) await stage.during(() => plant(center, job, planted));
  const parts = { registry: center, clock: stage.clock, redact: (text: string) => text, namespace: 'test' };
  const index = new JobIndex({ ...parts, isShared: false, ...more });
  index.start();
  /** Leaves nothing open. */
  const stop = async (...open: readonly { close(): void }[]) => {
    for (const one of open) one.close();
    await stage.during(() => index.stop());
    await stage.clock.advance(0);
    expect(stage.clock.pendingTimers).toBe(0);
  };
  return { center, index, stage, stop };
}
