import { plant, type PlantedJob } from '@test/support/unit/console-jobs.js';
import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { describe, expect, it, vi } from 'vitest';
import type { ConsoleCaller } from '../contract/index.js';
import { JobIndex } from './job-index.js';

const VIEWER: ConsoleCaller = { name: 'ann', role: 'viewer', by: 'page' };

describe('the rounds in which jobs are read', () => {
  it('read 20,000 nodes a second until each job was read once', async () => {
    const jobs = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`job-${n}`, { items: 10 }]));
    const { index, stage } = await setUp(jobs);

    index.start();
    await stage.clock.advance(500);
    expect(index.state({}).indexed).toBeLessThan(300);
    await stage.clock.advance(1_000);

    expect(index.state({})).toMatchObject({ indexed: 400 });
    await stage.during(() => index.stop());
  });

  it('keep the pace of 20,000 nodes a second also if the jobs are wider than usual', async () => {
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`wide-${n}`, { items: 500 }]));
    const { center, index, stage } = await setUp(wide);
    let nodes = 0;
    const read = center.readMany.bind(center);
    vi.spyOn(center, 'readMany').mockImplementation((paths) => {
      nodes += paths.length;
      return read(paths);
    });

    index.start();
    await stage.clock.advance(1_000);
    // Two batches whose width was not known more than the pace allows.
    expect(nodes).toBeLessThan(20_000 + 2 * 20_000);
    await stage.clock.advance(4_000);

    expect(index.state({})).toMatchObject({ indexed: 40 });
    await stage.during(() => index.stop());
  });

  it('ask for calm right before they read, and not before they wait for their pace', async () => {
    const { center, index, stage } = await setUp({ wide: { items: 500 }, other: { items: 500 } }, { isShared: true });
    const order: string[] = [];
    const calm = center.calm.bind(center);
    const list = center.childrenMany.bind(center);
    vi.spyOn(center, 'calm').mockImplementation(async () => {
      order.push(`calm at ${stage.clock.monotonicNow()}`);
      return calm();
    });
    vi.spyOn(center, 'childrenMany').mockImplementation((paths) => {
      order.push(`read at ${stage.clock.monotonicNow()}`);
      return list(paths);
    });

    index.start();
    await stage.clock.advance(20_000);

    const calms = order.filter((line) => line.startsWith('calm')).map((line) => line.slice('calm'.length));
    const reads = order.filter((line) => line.startsWith('read')).map((line) => line.slice('read'.length));
    expect(reads.length).toBeGreaterThan(2);
    expect(reads).toEqual(calms.slice(0, reads.length));
    await stage.during(() => index.stop());
  });

  it('read a job that has changed at once, also one among many that nobody looks at', async () => {
    const jobs = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`job-${n}`, { items: 20 }]));
    const { center, index, stage } = await setUp(jobs);
    index.start();
    await stage.clock.advance(15_000);
    const heard: (string | undefined)[] = [];
    index.onChange((job) => heard.push(job));

    await center.create('/job-399/sharding/7/running', '', 'EPHEMERAL');
    await stage.clock.advance(50);

    expect(index.row('job-399')?.running).toBe(1);
    expect(heard).toEqual(['job-399']);
    await stage.during(() => index.stop());
  });

  it('read a job that changes all the time no more than five times a second', async () => {
    const { center, index, stage } = await setUp({ busy: { items: 2 } });
    index.start();
    await stage.clock.advance(2_000);
    const read = vi.spyOn(center, 'readMany');

    for (let change = 0; change < 100; change += 1) {
      await center.set('/busy/sharding/0/instance', `${change}`);
      await stage.clock.advance(10);
    }

    // Two requests for each reading.
    expect(read.mock.calls.length).toBeGreaterThanOrEqual(4);
    expect(read.mock.calls.length).toBeLessThanOrEqual(2 * 7);
    await stage.during(() => index.stop());
  });

  it('read a changed job of many nodes less often, so that others have their turn', async () => {
    const { center, index, stage } = await setUp({ wide: { items: 1_000 }, small: { items: 2 } });
    index.start();
    await stage.clock.advance(5_000);
    let wide = 0;
    const read = center.readMany.bind(center);
    vi.spyOn(center, 'readMany').mockImplementation((paths) => {
      if (paths.some((path) => path.startsWith('/wide/'))) wide += 1;
      return read(paths);
    });

    for (let change = 0; change < 40; change += 1) {
      await center.set('/wide/sharding/0/instance', `${change}`);
      await stage.clock.advance(50);
    }
    await center.create('/small/sharding/1/running', '', 'EPHEMERAL');
    await stage.clock.advance(250);

    expect(wide).toBeLessThanOrEqual(4);
    expect(index.row('small')?.running).toBe(1);
    await stage.during(() => index.stop());
  });

  it('have a new job soon, and miss one that is gone', async () => {
    const jobs = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`job-${n}`, { items: 20 }]));
    const { center, index, stage } = await setUp(jobs);
    index.start();
    await stage.clock.advance(15_000);

    await stage.during(() => plant(center, 'new', { items: 1 }));
    await stage.clock.advance(350);
    expect(index.row('new')?.items).toBe(1);
    await center.delete('/new/config');
    await stage.clock.advance(250);
    expect(index.has('new')).toBe(false);
    await stage.during(() => index.stop());
  });

  it('come back soon to a node without config, as Java creates the node of a job first', async () => {
    const jobs = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`job-${n}`, { items: 20 }]));
    const { center, index, stage } = await setUp(jobs);
    index.start();
    await stage.clock.advance(15_000);
    await center.create('/new', '', 'PERSISTENT');
    await stage.clock.advance(3_000);
    expect(index.has('new')).toBe(false);

    await center.create('/new/config', 'jobName: new\nshardingTotalCount: 1\n', 'PERSISTENT');
    await stage.clock.advance(4_000);

    expect(index.has('new')).toBe(true);
    await stage.during(() => index.stop());
  });

  it('do not put what they have read before a newer reading over it, and name the instant of the reading', async () => {
    const { center, index, stage } = await setUp({ job: {} });
    index.start();
    await stage.clock.advance(10_000);
    const open = index.open('job');
    await stage.during(() => open.job());
    const { goOn, isHeld } = holdReads(center);
    while (!isHeld()) await stage.clock.advance(100);
    const heldAt = new Date(stage.clock.wallNow()).toISOString();

    await center.create('/job/sharding/0/disabled', '', 'PERSISTENT');
    await stage.clock.advance(1_000);
    const { asOf } = await stage.during(() => open.job());
    goOn();
    await stage.clock.advance(0);

    expect(index.row('job')).toMatchObject({ disabledItems: [0] });
    // The change itself is read at once as well.
    expect(index.row('job')!.asOf >= asOf).toBe(true);
    expect(asOf > heldAt).toBe(true);
    open.close();
    await stage.during(() => index.stop());
  });

  it('date a row back to the beginning of its reading', async () => {
    const { center, index, stage } = await setUp({ job: {} });
    index.start();
    await stage.clock.advance(10_000);
    const { goOn, isHeld } = holdReads(center);
    while (!isHeld()) await stage.clock.advance(100);
    const begun = stage.clock.wallNow();
    await stage.clock.advance(3_000);
    goOn();
    await stage.clock.advance(0);

    expect(Date.parse(index.list({}, VIEWER).asOf!)).toBeLessThanOrEqual(begun);
    await stage.during(() => index.stop());
  });
});

/** Keeps the answers of the registry to the rounds until they may go on. */
function holdReads(center: Awaited<ReturnType<MemoryStage['connected']>>) {
  const read = center.readMany.bind(center);
  let release = () => {};
  let isHeld = false;
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.spyOn(center, 'readMany').mockImplementation(async (paths) => {
    const nodes = await read(paths);
    isHeld = true;
    await held;
    return nodes;
  });
  return { goOn: () => release(), isHeld: () => isHeld };
}

/** A namespace with these jobs, and an index that has not started. */
async function setUp(jobs: Readonly<Record<string, PlantedJob>>, { isShared = false } = {}) {
  const stage = new MemoryStage();
  const center = await stage.connected();
  for (const [job, planted] of Object.entries(jobs)) await stage.during(() => plant(center, job, planted));
  const parts = { registry: center, clock: stage.clock, redact: (text: string) => text, namespace: 'test' };
  return { center, index: new JobIndex({ ...parts, isShared }), stage };
}
