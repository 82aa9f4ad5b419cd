import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { describe, expect, it, vi } from 'vitest';
import { createdRoot, removedRoot, resolveJobOptions, UnknownJobError } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import { WorkErrors } from '../news/own-work.js';
import { TemplateJobs } from './template-jobs.js';

/** As many as a process joins or leaves at once. */
const AT_ONCE = 50;
const SOON_MS = 5_000;
const TEMPLATE = 'report';
const REMOVED = { kind: 'create', data: removedRoot(TEMPLATE), mode: 'PERSISTENT' } as const;

const namesOf = (group: string) => Array.from({ length: AT_ONCE }, (_, n) => `${group}-${n}`);

/** The jobs of a process, which is in a job while it has a node there. */
function processOf(
  registry: RegistryCenter,
  id: string,
  { clock }: MemoryStage,
  isJoinable: (jobName: string) => boolean | Promise<boolean> = () => true,
  events = new JobEvents(),
  leave = (jobName: string): Promise<void> => registry.delete(`/${jobName}/instances/${id}`),
): TemplateJobs {
  const place = 'template-jobs.spec';
  const jobs = new TemplateJobs({
    registry,
    clock,
    events,
    errors: new WorkErrors(clock, events, registry),
    join: async ({ configuration: { jobName } }) => {
      if (!(await isJoinable(jobName))) throw new Error('It cannot be joined');
      await registry.create(`/${jobName}/instances/${id}`, '', 'EPHEMERAL');
    },
    leave,
  });
  const configuration = resolveJobOptions({ name: TEMPLATE, shardingTotalCount: 1 }, { place });
  jobs.declare({ name: TEMPLATE, configuration, place, handler: () => {} });
  return jobs;
}

it('leaves and deletes any number of jobs, although processes come to them in different orders', async () => {
  const stage = new MemoryStage();
  const [one, other] = [await stage.connected(), await stage.connected()];
  const [early, late] = [namesOf('b'), namesOf('a')];
  const roots = [...late, ...early].map((name) => `/${name}`);
  await stage.during(async () => {
    for (const root of roots) await one.create(root, createdRoot(TEMPLATE), 'PERSISTENT');
    for (const root of roots) await one.create(`${root}/instances`, '', 'PERSISTENT');
  });
  const processes = [processOf(one, 'one', stage), processOf(other, 'other', stage)];
  await stage.during(() => Promise.all(processes.map((jobs) => jobs.open())));
  await stage.clock.advance(SOON_MS);
  const remove = (names: readonly string[]) =>
    Promise.all(names.map((name) => one.set(`/${name}`, removedRoot(TEMPLATE))));

  await stage.during(() => remove(early));
  processes[0]!.findJobsSoon();
  await stage.clock.advance(SOON_MS);
  await stage.during(() => remove(late));
  for (const jobs of processes) jobs.findJobsSoon();
  await stage.clock.advance(SOON_MS);

  expect(await stage.during(() => one.children('/'))).toEqual([]);
  for (const jobs of processes) jobs.close();
});

it('looks at marked jobs that never become empty 50 at a time, and holds no view of them', async () => {
  const stage = new MemoryStage();
  const [attacker, victim] = [await stage.connected(), await stage.connected()];
  const occupied = Array.from({ length: 4 * AT_ONCE }, (_, n) => `a-${n}`);
  const paths = occupied.flatMap((name) => [`/${name}`, `/${name}/instances`, `/${name}/instances/x`]);
  await stage.during(() => attacker.transaction([...paths, '/z'].map((path) => ({ ...REMOVED, path }))));
  const [openSubtree, read] = [vi.spyOn(victim, 'openSubtree'), victim.read.bind(victim)];
  const reads = { now: 0, most: 0 };
  vi.spyOn(victim, 'read').mockImplementation((...given) => {
    reads.most = Math.max(reads.most, (reads.now += 1));
    return read(...given).finally(() => (reads.now -= 1));
  });
  const jobs = processOf(victim, 'one', stage);

  await stage.during(() => jobs.open());
  await stage.clock.advance(SOON_MS);

  expect(openSubtree.mock.calls.map(([path]) => path)).toEqual(['/z']);
  expect(reads).toEqual({ now: 0, most: AT_ONCE });
  expect((await stage.during(() => attacker.children('/'))).toSorted()).toEqual(occupied.toSorted());
  jobs.close();
});

it('deletes a marked job soon after the last instance has died in it', async () => {
  const stage = new MemoryStage();
  const [dying, other] = [await stage.connected(), await stage.connected()];
  await stage.during(() =>
    dying.transaction(['/a', '/a/instances', '/a/instances/x'].map((path) => ({ ...REMOVED, path }))),
  );
  const jobs = processOf(other, 'one', stage);
  await stage.during(() => jobs.open());
  await stage.clock.advance(SOON_MS);

  await stage.during(() => dying.delete('/a/instances/x'));
  await stage.clock.advance(SOON_MS);

  expect(await stage.during(() => other.children('/'))).toEqual([]);
  jobs.close();
});

it('looks 50 times a second for an instance that is left in one of many marked jobs', async () => {
  const stage = new MemoryStage();
  const [attacker, victim] = [await stage.connected(), await stage.connected()];
  const occupied = Array.from({ length: 4 * AT_ONCE }, (_, n) => `a-${n}`);
  const paths = occupied.flatMap((name) => [`/${name}`, `/${name}/instances`, `/${name}/instances/x`]);
  await stage.during(() => attacker.transaction(paths.map((path) => ({ ...REMOVED, path }))));
  const jobs = processOf(victim, 'one', stage);
  await stage.during(() => jobs.open());
  await stage.clock.advance(SOON_MS);
  const reads = vi.spyOn(victim, 'read');

  await stage.clock.advance(100_000);

  expect(reads.mock.calls.length).toBeGreaterThan(90 * AT_ONCE);
  expect(reads.mock.calls.length).toBeLessThanOrEqual(101 * AT_ONCE);
  jobs.close();
});

describe('a marked job whose deletion fails', () => {
  it('is tried again after pauses that double up to 30 s, and told once', async () => {
    const { jobs, stage, told, tries } = await undeletable();

    await stage.during(() => jobs.open());
    for (let seconds = 0; seconds < 300; seconds += 1) {
      jobs.findJobsSoon();
      await stage.clock.advance(1_000);
    }

    const pauses = tries.slice(1).map((at, index) => at - tries[index]!);
    expect(told).toEqual(['a']);
    expect(Math.max(...pauses)).toBeGreaterThan(15_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(31_000);
    expect(pauses[0]).toBeLessThanOrEqual(2_000);
    expect(tries.length).toBeLessThan(30);
    jobs.close();
  });

  it('is tried at once, and told again, if it was created and marked anew', async () => {
    const { jobs, operator, stage, told, tries } = await undeletable();
    await stage.during(() => jobs.open());
    await stage.clock.advance(60_000);

    await stage.during(() => operator.delete('/a'));
    await stage.during(() => operator.create('/a', removedRoot(TEMPLATE), 'PERSISTENT'));
    const createdAt = stage.clock.monotonicNow();
    await stage.clock.advance(SOON_MS);

    expect(told).toEqual(['a', 'a']);
    expect(tries.find((at) => at >= createdAt)! - createdAt).toBeLessThan(100);
    jobs.close();
  });
});

it('joins a job beside any number of jobs that cannot be joined', async () => {
  const stage = new MemoryStage();
  const registry = await stage.connected();
  const names = [...namesOf('a'), 'z'];
  await stage.during(() =>
    registry.transaction(
      names.flatMap((name) => [
        { ...REMOVED, path: `/${name}`, data: createdRoot(TEMPLATE) },
        { ...REMOVED, path: `/${name}/instances`, data: '' },
      ]),
    ),
  );
  const jobs = processOf(registry, 'one', stage, (jobName) => jobName === 'z');

  await stage.during(() => jobs.open());
  await stage.clock.advance(SOON_MS);

  expect(await stage.during(() => registry.children('/z/instances'))).toEqual(['one']);
  jobs.close();
});

it('joins 50 jobs at once at most, also those that are tried again', async () => {
  const stage = new MemoryStage();
  const registry = await stage.connected();
  const roots = Array.from({ length: 4 * AT_ONCE }, (_, n) => ({
    ...REMOVED,
    path: `/${n}`,
    data: createdRoot(TEMPLATE),
  }));
  await stage.during(() => registry.transaction(roots));
  const joins = { now: 0, most: 0, all: 0 };
  const jobs = processOf(registry, 'one', stage, async () => {
    joins.most = Math.max(joins.most, (joins.now += 1));
    joins.all += 1;
    await stage.clock.sleep(20_000);
    joins.now -= 1;
    return false;
  });

  await stage.during(() => jobs.open());
  for (let seconds = 0; seconds < 300; seconds += 1) await stage.clock.advance(1_000);

  expect(joins.most).toBe(AT_ONCE);
  expect(joins.all).toBeGreaterThan(roots.length);
  jobs.close();
});

it('tells no more of a job that could not be joined once somebody has deleted it', async () => {
  const stage = new MemoryStage();
  const [registry, operator] = [await stage.connected(), await stage.connected()];
  await stage.during(() => operator.create('/a', createdRoot(TEMPLATE), 'PERSISTENT'));
  const jobs = processOf(registry, 'one', stage, () => false);
  await stage.during(() => jobs.open());
  await stage.clock.advance(SOON_MS);
  expect(jobs.resting.map(({ jobNames }) => jobNames)).toEqual([['a']]);

  await stage.during(() => operator.delete('/a'));
  await stage.clock.advance(60_000);

  expect(jobs.resting).toEqual([]);
  jobs.close();
});

it.each([
  ['is illegal', 'a/b', /template "a\/b" \(spec\): name /],
  ['is taken', TEMPLATE, /template "report" \(spec\): name "report": template-jobs\.spec has it already/],
])('refuses a template whose name %s', async (_, name, message) => {
  const stage = new MemoryStage();
  const jobs = processOf(await stage.connected(), 'one', stage);
  expect(() => jobs.declare({ ...jobs.find(TEMPLATE)!, name, place: 'spec' })).toThrow(message);
});

it('leaves alone a job of a template that this process does not have', async () => {
  const stage = new MemoryStage();
  const registry = await stage.connected();
  await stage.during(() => registry.create('/a', createdRoot('another'), 'PERSISTENT'));
  const { events, told } = toldErrors();
  const jobs = processOf(registry, 'one', stage, () => true, events);

  await stage.during(() => jobs.open());
  await stage.clock.advance(SOON_MS);

  expect([await stage.during(() => registry.children('/a')), told]).toEqual([[], []]);
  jobs.close();
});

it('tells if it could not look for jobs, and looks again', async () => {
  const stage = new MemoryStage();
  const registry = await stage.connected();
  await stage.during(() => registry.create('/a', createdRoot(TEMPLATE), 'PERSISTENT'));
  await stage.during(() => registry.create('/a/instances', '', 'PERSISTENT'));
  vi.spyOn(registry, 'children').mockRejectedValueOnce(new Error('It cannot be read'));
  const { events, told } = toldErrors();
  const jobs = processOf(registry, 'one', stage, () => true, events);

  await stage.during(() => jobs.open());
  await stage.clock.advance(SOON_MS);

  expect(told).toMatchObject([{ jobName: undefined, message: 'looking for jobs of templates failed' }]);
  expect(await stage.during(() => registry.children('/a/instances'))).toEqual(['one']);
  jobs.close();
});

it('looks once for any number of news, and leaves no timer once it is closed', async () => {
  const stage = new MemoryStage();
  const registry = await stage.connected();
  const jobs = processOf(registry, 'one', stage);
  await stage.during(() => jobs.open());
  const looks = vi.spyOn(registry, 'children');
  const before = stage.clock.pendingTimers;

  for (let news = 0; news < 3; news += 1) jobs.findJobsSoon();
  await stage.clock.advance(SOON_MS);
  jobs.findJobsSoon();
  jobs.close();
  jobs.findJobsSoon();

  expect([looks.mock.calls.length, stage.clock.pendingTimers]).toEqual([1, before]);
});

it('deletes a job that somebody else has left for it', async () => {
  const stage = new MemoryStage();
  const registry = await stage.connected();
  await stage.during(() => registry.create('/a', createdRoot(TEMPLATE), 'PERSISTENT'));
  await stage.during(() => registry.create('/a/instances', '', 'PERSISTENT'));
  const { events, told } = toldErrors();
  const jobs = processOf(
    registry,
    'one',
    stage,
    () => true,
    events,
    async (jobName) => {
      throw new UnknownJobError(jobName);
    },
  );
  await stage.during(() => jobs.open());
  await stage.clock.advance(SOON_MS);

  await stage.during(() => registry.delete('/a/instances/one'));
  await stage.during(() => registry.set('/a', removedRoot(TEMPLATE)));
  jobs.findJobsSoon();
  await stage.clock.advance(SOON_MS);

  expect([await stage.during(() => registry.children('/')), told]).toEqual([[], []]);
  jobs.close();
});

it('deletes at once a job that could not be joined for long, and is marked then', async () => {
  const stage = new MemoryStage();
  const registry = await stage.connected();
  await stage.during(() => registry.create('/a', createdRoot(TEMPLATE), 'PERSISTENT'));
  const jobs = processOf(registry, 'one', stage, () => false);
  await stage.during(() => jobs.open());
  await stage.clock.advance(300_000);

  await stage.during(() => registry.set('/a', removedRoot(TEMPLATE)));
  jobs.findJobsSoon();
  await stage.clock.advance(100);

  expect(await stage.during(() => registry.children('/'))).toEqual([]);
  jobs.close();
});

/** A process that may not delete the marked job `a`, and the times at which it tries. */
async function undeletable() {
  const stage = new MemoryStage();
  const [registry, operator] = [await stage.connected(), await stage.connected()];
  const tries: number[] = [];
  const told: (string | undefined)[] = [];
  vi.spyOn(registry, 'transaction').mockImplementation(async () => {
    tries.push(stage.clock.monotonicNow());
    throw new Error('It cannot be deleted');
  });
  const events = new JobEvents();
  events.on((event) => void (event.kind === 'error' && told.push(event.jobName)));
  await stage.during(() => operator.create('/a', removedRoot(TEMPLATE), 'PERSISTENT'));
  return { jobs: processOf(registry, 'one', stage, () => true, events), operator, stage, told, tries };
}

function toldErrors() {
  const events = new JobEvents();
  const told: JobEvent[] = [];
  events.on((event) => void (event.kind === 'error' && told.push(event)));
  return { events, told };
}
