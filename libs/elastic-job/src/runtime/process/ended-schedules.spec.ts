import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JobOptions, resolveJobOptions } from '../../domain/index.js';
import { MemoryRegistry, type MemoryRegistryCenter } from '../../registry/index.js';
import { VirtualClock } from '../../testing/index.js';
import type { JobDefinition } from '../settings/job-definition.js';
import { ElasticJobRuntime } from './elastic-job-runtime.js';

const JOB = 'settle-orders';
const OVER = '0 0 0 1 1 ? 1999';

let clock: VirtualClock;
let store: MemoryRegistry;
let registry: MemoryRegistryCenter;
let runtime: ElasticJobRuntime;
let fired: string[];
beforeEach(() => {
  clock = new VirtualClock();
  clock.setWall(Date.UTC(2025, 11, 31, 23, 57));
  fired = [];
  store = new MemoryRegistry(clock);
  open();
});
afterEach(() => clock.advanceUntil(runtime.stop()));

/** A process with a connection of its own. */
function open(): void {
  registry = store.center({ namespace: 'test', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 });
  runtime = new ElasticJobRuntime({ registry, clock });
}

describe('jobs of code whose schedule has an end', () => {
  it('are refused at once if they never fire, as by Quartz', async () => {
    const cron = '0 0 0 30 2 ?';
    const added = runtime.registrar.add({ name: JOB, cron, shardingTotalCount: 1 }, () => {});

    await expect(added).rejects.toThrow(`job "${JOB}" (JobRegistrar.add): cron "${cron}" never fires; `);
    await expect(runtime.registrar.register(job({ cron }))).rejects.toThrow('never fires');
    expect(runtime.registrar.jobs).toEqual([]);
  });

  it('stop the start if they are over and new', async () => {
    await runtime.registrar.register(job({ cron: OVER }));

    await expect(clock.advanceUntil(runtime.start())).rejects.toThrow(
      `job "${JOB}" (Jobs.run): cron "${OVER}" is over`,
    );
  });

  it('are refused if they are over and bring such a cron into the registry, which they leave as it is', async () => {
    await clock.advanceUntil(runtime.start());
    const add = () =>
      clock.advanceUntil(runtime.registrar.add({ name: JOB, cron: OVER, shardingTotalCount: 1 }, () => {}));

    const fault = `job "${JOB}" (JobRegistrar.add): cron "${OVER}" is over, its last fire time was 1999-01-01T`;
    await expect(add()).rejects.toThrow(fault);
    await expect(add()).rejects.toThrow(fault);
    await clock.advanceUntil(
      runtime.registrar.add({ name: JOB, cron: '0 * * * * ?', shardingTotalCount: 1 }, () => {}),
    );
    await clock.advanceUntil(runtime.registrar.remove(JOB));
    const overwriting = runtime.registrar.register(job({ cron: OVER, overwrite: true }));
    await expect(clock.advanceUntil(overwriting)).rejects.toThrow('is over');

    expect(runtime.registrar.jobs).toEqual([]);
    expect(await registry.read(`/${JOB}/config`)).toMatchObject({ data: expect.not.stringContaining('1999') });
  });

  it('can be edited while they are over, unless the edit brings a schedule that is over', () => {
    const { configuration } = job({ cron: OVER });
    const edit = (former: string) => () =>
      runtime.assertEditable(configuration, { cron: former, jobErrorHandlerType: configuration.jobErrorHandlerType });

    expect(edit(OVER)).not.toThrow();
    expect(edit('0 * * * * ?')).toThrow('is over');
  });

  it.each([false, true])(
    'start again after their end, and catch up on what they owe (overwrite: %s)',
    async (overwrite) => {
      const cron = '0 58,59 23 31 12 ? 2025';
      await clock.advanceUntil(runtime.registrar.register(job({ cron, overwrite })));
      await clock.advanceUntil(runtime.start());
      await clock.advance(70_000);
      await clock.advanceUntil(runtime.stop());
      await clock.advance(600_000);
      const warnings: string[] = [];

      open();
      runtime.events.on((event) => event.kind === 'warning' && warnings.push(event.message));
      await runtime.registrar.register(job({ cron, overwrite }));
      await clock.advanceUntil(runtime.start());
      await clock.advance(60_000);

      expect(fired).toEqual([JOB, JOB]);
      expect(warnings).toEqual([
        `the registry's cron "${cron}" is over, its last fire time was 2025-12-31T23:59:00.000Z, so it runs only ` +
          'when it is triggered; edit it there, or remove the job',
      ]);
    },
  );
});

function job(options: Partial<JobOptions>): JobDefinition {
  const configuration = resolveJobOptions(
    { name: JOB, shardingTotalCount: 1, timeZone: 'UTC', ...options },
    { place: '' },
  );
  return { configuration, className: JOB, place: 'Jobs.run', handler: ({ jobName }) => fired.push(jobName) };
}
