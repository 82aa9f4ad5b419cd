import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { expect, it } from 'vitest';
import { createdRoot, removedRoot, resolveJobOptions } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { JobEvents } from '../../tracing/index.js';
import { WorkErrors } from '../leases/index.js';
import { TemplateJobs } from './template-jobs.js';

/** As many as a process joins or leaves at once. */
const AT_ONCE = 50;
const SOON_MS = 5_000;
const TEMPLATE = 'report';

const namesOf = (group: string) => Array.from({ length: AT_ONCE }, (_, n) => `${group}-${n}`);

/** The jobs of a process, which is in a job while it has a node there. */
function processOf(registry: RegistryCenter, id: string, { clock }: MemoryStage): TemplateJobs {
  const events = new JobEvents();
  const place = 'template-jobs.spec';
  const jobs = new TemplateJobs({
    registry,
    clock,
    events,
    errors: new WorkErrors(clock, events, registry),
    join: async ({ configuration: { jobName } }) =>
      void (await registry.create(`/${jobName}/instances/${id}`, '', 'EPHEMERAL')),
    leave: (jobName) => registry.delete(`/${jobName}/instances/${id}`),
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
