import {
  configOf,
  JAVA,
  OWN,
  plant,
  type PlantedJob,
  plantingOf,
  recordOf,
  SERVER_IP,
} from '@test/support/unit/console-jobs.js';
import { idOf, MemoryStage } from '@test/support/unit/memory-stage.js';
import { describe, expect, it, vi } from 'vitest';
import { NoAuthError } from '../../registry/index.js';
import { type ConsoleCaller, type JobRow, UNKNOWN_PULSE } from '../contract/index.js';
import { JobIndex, type JobIndexParts } from './job-index.js';

const VIEWER: ConsoleCaller = { name: 'ann', role: 'viewer', by: 'page' };
const MINUTE_MS = 60_000;

describe('the index of jobs', () => {
  it('has a row for each job, with what an operator asks first', async () => {
    const { index, rowOf, stage } = await setUp({
      'settle-orders': {
        config: ['cron: 0 0 2 * * ?', "timeZone: 'Europe/Paris'", "description: '[finance] settles orders'"],
        running: [1],
        disabledItems: [0],
      },
    });

    expect(rowOf('settle-orders')).toEqual({
      job: 'settle-orders',
      label: 'finance',
      status: 'OK',
      attention: ['disabled'],
      cron: '0 0 2 * * ?',
      timeZone: 'Europe/Paris',
      nextFireTime: '2030-01-01T01:00:00.000Z',
      items: 2,
      running: 1,
      disabledItems: [0],
      instances: 1,
      javaInstances: 0,
      leader: OWN,
      template: null,
      isBeingRemoved: false,
      resident: false,
      inTasks: false,
      registeredIn: 'code',
      problem: null,
      ...UNKNOWN_PULSE,
      asOf: rowOf('settle-orders').asOf,
    });
    await stage.during(() => index.stop());
  });

  it('tells fire times in a zone that Java cannot read, as a process of ours stores it', async () => {
    const { index, rowOf, stage } = await setUp({
      'settle-orders': { config: ['cron: 0 0 2 * * ?', 'props:', '  nestjs.timeZone: Asia/Shanghai'] },
    });

    expect(rowOf('settle-orders')).toMatchObject({
      timeZone: 'Asia/Shanghai',
      nextFireTime: '2030-01-01T18:00:00.000Z',
    });
    await stage.during(() => index.stop());
  });

  it.each<readonly [string, PlantedJob, readonly string[]]>([
    ['nothing is wrong', {}, []],
    ['its last run has failed', { records: { 0: recordOf('failed', 0), 1: recordOf('succeeded', 0) } }, ['failed']],
    ['an item waits for failover', { queued: [1] }, ['queued']],
    ['it has no leader', { leader: null }, ['no-leader']],
    ['its servers are disabled', { servers: { [SERVER_IP]: 'DISABLED' }, leader: null }, ['disabled']],
    ['nobody runs it', { instances: [], servers: { [SERVER_IP]: '' } }, ['crashed']],
    ['its settings cannot be read', { config: ['cron: {'] }, ['unreadable']],
    ['its cron is none', { config: ['cron: every day'] }, ['unreadable']],
    [
      'Java cannot share its settings',
      { instances: [OWN, JAVA], config: ['props:', '  nestjs.clockChange: natural'] },
      ['mixed'],
    ],
    ['it is being removed', { root: 'nestjs.removed:import', instances: [], servers: { [SERVER_IP]: '' } }, []],
  ])('says why somebody should look at a job: %s', async (_, planted, reasons) => {
    const { index, rowOf, stage } = await setUp({ job: planted });

    expect(rowOf('job').attention).toEqual(reasons);
    await stage.during(() => index.stop());
  });

  it.each<readonly [string, PlantedJob, JobRow['registeredIn']]>([
    ['code', {}, 'code'],
    ['a template', { root: 'nestjs.template:import' }, 'template'],
    ['ElasticJob-Cloud', { root: 'nestjs.template:elasticjob-cloud' }, 'cloud'],
    ['Java', { instances: [JAVA], config: ['props: {}'], isOurs: false }, 'java'],
    ['Java first, and has instances of ours', { instances: [JAVA, OWN], config: ['props: {}'] }, 'code'],
  ])('says where a job comes from: %s', async (_, planted, place) => {
    const { index, rowOf, stage } = await setUp({ job: planted });

    expect(rowOf('job').registeredIn).toBe(place);
    await stage.during(() => index.stop());
  });

  it('calls a fire time overdue that is due for a minute without a record', async () => {
    const { center, index, rowOf, stage } = await setUp({ job: { config: ['cron: 0 * * * * ?'], items: 1 } });
    expect(rowOf('job').attention).toEqual([]);

    await stage.clock.advance(2 * MINUTE_MS + 10_000);
    expect(rowOf('job').attention).toEqual(['overdue']);

    const now = stage.clock.wallNow();
    await center.create('/job/sharding/0/record', recordOf(undefined, now - (now % MINUTE_MS)), 'PERSISTENT');
    await stage.clock.advance(10_000);
    expect(rowOf('job').attention).toEqual([]);
    await stage.during(() => index.stop());
  });

  it('says which jobs it may not read, and reads the others', async () => {
    const { center, index, rowOf, stage } = await setUp({ secret: {}, open: {} });
    const readMany = center.readMany.bind(center);
    vi.spyOn(center, 'readMany').mockImplementation(async (paths, options) => {
      const refused = paths.find((path) => path.startsWith('/secret/'));
      if (refused !== undefined) throw new NoAuthError(refused);
      return readMany(paths, options);
    });
    await stage.clock.advance(10_000);

    expect(rowOf('secret')).toMatchObject({
      attention: ['unreachable'],
      problem: new NoAuthError('/secret/config').message,
    });
    expect(rowOf('open')).toMatchObject({ attention: [], problem: null });
    await stage.during(() => index.stop());
  });

  it('takes a node without config for no job, until it has one', async () => {
    const { center, index, stage } = await setUp({ job: {} });
    await center.create('/foreign', '', 'PERSISTENT');
    await stage.clock.advance(10_000);
    expect(index.list({}, VIEWER)).toMatchObject({ total: 1, indexed: 1, matching: 1 });
    expect(index.has('foreign')).toBe(false);

    await center.create('/foreign/config', configOf('foreign', 1), 'PERSISTENT');
    await stage.clock.advance(10_000);

    expect(index.list({}, VIEWER)).toMatchObject({ total: 2, indexed: 2, matching: 2 });
    await stage.during(() => index.stop());
  });

  it('counts a job that was not read yet in the total alone', async () => {
    const stage = new MemoryStage();
    const center = await stage.connected();
    await stage.during(() => plant(center, 'job'));
    const index = new JobIndex(partsOf(stage, center));
    let goOn = () => {};
    const read = center.readMany.bind(center);
    vi.spyOn(center, 'readMany').mockImplementation(async (paths) => {
      await new Promise<void>((resolve) => (goOn = resolve));
      return read(paths);
    });
    index.start();
    await stage.clock.advance(1_000);
    expect(index.list({}, VIEWER)).toMatchObject({ total: 1, indexed: 0, matching: 0, items: [], asOf: null });

    goOn();
    await stage.clock.advance(0);

    expect(index.list({}, VIEWER)).toMatchObject({ total: 1, indexed: 1, matching: 1, items: [{ job: 'job' }] });
    const stopped = index.stop();
    goOn();
    await stage.during(() => stopped);
  });

  it('forgets a job that is gone, and tells of it', async () => {
    const { center, index, stage } = await setUp({ job: { items: 0 }, other: {} });
    const heard: (string | undefined)[] = [];
    index.onChange((job) => heard.push(job));
    for (const { path } of plantingOf('job', { items: 0 }).toReversed()) await center.delete(path);
    await stage.clock.advance(2_000);

    expect([index.has('job'), index.row('job')]).toEqual([false, undefined]);
    expect(index.list({}, VIEWER)).toMatchObject({ total: 1, items: [{ job: 'other' }] });
    expect(heard).toContain('job');
    await stage.during(() => index.stop());
  });

  it('shows a caller with a prefix nothing else, wherever it asks', async () => {
    const { index, stage } = await setUp({ 'a-1': { running: [0] }, 'b-1': { servers: { '10.9.9.9': 'ENABLED' } } });
    const caller = { ...VIEWER, jobPrefix: 'a-' };

    expect(index.list({}, caller).items.map(({ job }) => job)).toEqual(['a-1']);
    expect(index.list({}, caller)).toMatchObject({ total: 1, indexed: 1 });
    expect(index.overview(caller)).toMatchObject({ jobs: 1, servers: 1, busiest: [{ job: 'a-1', running: 1 }] });
    expect(index.servers({}, caller).items.map(({ ip }) => ip)).toEqual([SERVER_IP]);
    expect(index.server('10.9.9.9', caller)).toBeUndefined();
    expect(index.server('10.9.9.9', VIEWER)).toMatchObject({ jobNames: ['b-1'], disabledJobNames: [] });
    await stage.during(() => index.stop());
  });

  it('keeps the last facts while the registry is away, and heals in the next session', async () => {
    const { center, index, rowOf, stage } = await setUp({ job: {} });
    const other = await stage.connected();
    stage.registry.suspend(idOf(center));
    await stage.clock.advance(1_000);
    expect(index.isStale).toBe(true);
    expect(index.list({}, VIEWER)).toMatchObject({ stale: true, items: [{ job: 'job', status: 'OK' }] });

    await stage.clock.advance(20_000);
    await stage.during(() => plant(other, 'next', { instances: [] }));
    stage.registry.resume(idOf(center));
    await stage.clock.advance(40_000);

    expect(index.isStale).toBe(false);
    // The instance of the ended session is gone.
    expect(rowOf('job').status).toBe('CRASHED');
    expect(index.has('next')).toBe(true);
    await stage.during(() => index.stop());
  });

  it('reads rows on a screen every two seconds, whatever the number of the others', async () => {
    const jobs = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`job-${String(n).padStart(3, '0')}`, {}]));
    const { center, index, stage } = await setUp(jobs);
    const { items } = index.list({ limit: 5 }, VIEWER);
    const last = () => index.list({ limit: 5 }, VIEWER).items;
    index.setScreen(
      VIEWER,
      items.map(({ job }) => job),
    );
    await center.create('/job-000/sharding/0/disabled', '', 'PERSISTENT');
    await stage.clock.advance(3_000);

    expect(items.at(0)?.disabledItems).toEqual([]);
    expect(last().at(0)?.disabledItems).toEqual([0]);
    await stage.during(() => index.stop());
  });

  it('tells of each version of a config once', async () => {
    const seen: string[] = [];
    const onConfig = (job: string, version: number) => seen.push(`${job} ${version}`);
    const { center, index, stage } = await setUp({ job: {} }, { onConfig });

    await center.set('/job/config', configOf('job', 3));
    await stage.clock.advance(20_000);

    expect(seen).toEqual(['job 0', 'job 1']);
    await stage.during(() => index.stop());
  });

  it('leaves no timer after its end', async () => {
    const { index, stage } = await setUp({ job: {} });
    const open = index.open('job');
    await stage.during(() => open.job());
    await stage.during(() => index.stop());
    await stage.clock.advance(0);

    expect(stage.clock.pendingTimers).toBe(0);
  });
});

interface SetUpOptions extends Partial<JobIndexParts> {
  readonly stage?: MemoryStage;
}

/** A namespace with these jobs, and an index that has read them. */
async function setUp(
  jobs: Readonly<Record<string, PlantedJob>>,
  { stage = new MemoryStage(), ...more }: SetUpOptions = {},
) {
  const center = await stage.connected();
  for (const [job, planted] of Object.entries(jobs)) await stage.during(() => plant(center, job, planted));
  const index = new JobIndex({ ...partsOf(stage, center), ...more });
  index.start();
  await stage.clock.advance(2_000);
  const rowOf = (job: string) => index.row(job)!;
  return { center, index, rowOf, stage };
}

function partsOf(stage: MemoryStage, registry: JobIndexParts['registry']): JobIndexParts {
  return { registry, clock: stage.clock, redact: (text) => text, namespace: 'test', isShared: false };
}
