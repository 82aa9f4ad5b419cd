import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_EDITS, NO_SETTINGS, untyped } from '@test/support/unit/no-settings.js';
import { ElasticJob2ConfigurationError } from '../../coordination/index.js';
import { type JobOptions, resolveJobOptions, ShuttingDownError, UnknownJobError } from '../../domain/index.js';
import { MemoryRegistry, type MemoryRegistryCenter } from '../../registry/index.js';
import { VirtualClock } from '../../testing/index.js';
import { ElasticJobRuntime } from './elastic-job-runtime.js';
import type { JobDefinition } from '../settings/job-definition.js';

const JOB = 'settle-orders';

let clock: VirtualClock;
let registry: MemoryRegistryCenter;
let runtime: ElasticJobRuntime;
let fired: string[];
beforeEach(() => {
  clock = new VirtualClock();
  fired = [];
  const options = { namespace: 'test', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 };
  registry = new MemoryRegistry(clock).center(options);
  runtime = new ElasticJobRuntime({ registry, clock });
});
afterEach(() => clock.advanceUntil(runtime.stop()));

describe('jobs that come and go', () => {
  it('are refused with both places if their name is taken', async () => {
    await runtime.registrar.register(job({ place: 'OrderJobs.settle' }));

    await expect(runtime.registrar.register(job({ place: 'OtherJobs.settle' }))).rejects.toThrow(
      /job "settle-orders" \(OtherJobs\.settle\).*OrderJobs\.settle has it already/,
    );
    expect(runtime.registrar.jobs).toMatchObject([{ jobName: JOB, place: 'OrderJobs.settle' }]);
  });

  it('are refused with a remedy if they are added twice', async () => {
    const options = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 1 };
    await runtime.registrar.add(options, () => {});

    await expect(runtime.registrar.add(options, () => {})).rejects.toThrow(
      /JobRegistrar\.add has it already; this is the second add; remove the first job, or change it$/,
    );
  });

  it('run after they are added, and free their name after they are removed', async () => {
    await clock.advanceUntil(runtime.start());
    await clock.advanceUntil(runtime.registrar.register(job()));
    await clock.advance(60_000);
    expect(fired).toEqual([JOB]);

    await clock.advanceUntil(runtime.registrar.remove(JOB));
    await clock.advance(120_000);
    expect(fired).toEqual([JOB]);
    expect(runtime.status().jobs).toEqual([]);

    await clock.advanceUntil(runtime.registrar.register(job()));
    expect(fired).toEqual([JOB, JOB]); // The last fire time that was not run, as after any restart.
    await clock.advance(60_000);
    expect(fired).toEqual([JOB, JOB, JOB]);
  });

  it('run within interceptors, the latest outermost, which pass results and errors on', async () => {
    const { registrar } = runtime;
    registrar.around(async ({ shardingItem }, run) => {
      fired.push(`inner ${shardingItem}`);
      await run();
      fired.push('never: the handler throws');
    });
    registrar.around((_, run) => {
      fired.push('outer');
      return run();
    });
    await clock.advanceUntil(runtime.start());
    runtime.events.on((event) => event.kind === 'settled' && fired.push(event.outcome.kind));

    const options = { name: 'added', cron: '0/10 * * * * ?', shardingTotalCount: 1 };
    const handler = () => Promise.reject(new Error('no'));
    await clock.advanceUntil(registrar.add(options, handler));
    await clock.advance(10_000);

    expect(fired).toEqual(['outer', 'inner 0', 'failed']);
  });

  it('fetch and process as dataflows, and are refused with wrong props', async () => {
    const { registrar } = runtime;
    const dataflow = {
      left: 2,
      fetchData() {
        return this.left-- > 0 ? [this.left] : [];
      },
      processData: (_: unknown, rows: readonly unknown[]) => fired.push(`processed ${rows.join()}`),
    };
    const options = { name: 'added', cron: '0/10 * * * * ?', shardingTotalCount: 1 };
    await clock.advanceUntil(runtime.start());

    const wrong = registrar.add({ ...options, props: { 'streaming.process': 'on' } }, dataflow);
    await expect(wrong).rejects.toThrow('job "added" (JobRegistrar.add): streaming.process must be "true" or "false"');
    await clock.advanceUntil(registrar.add({ ...options, props: { 'streaming.process': 'true' } }, dataflow));
    await clock.advance(10_000);

    expect(fired).toEqual(['processed 1', 'processed 0']);
  });

  it('run by the options and the function that are added', async () => {
    await clock.advanceUntil(runtime.start());

    const options = { name: 'added', cron: '0/10 * * * * ?', shardingTotalCount: 2 };
    await clock.advanceUntil(runtime.registrar.add(options, ({ shardingItem }) => fired.push(`item ${shardingItem}`)));
    await clock.advance(10_000);

    expect(fired.toSorted()).toEqual(['item 0', 'item 1']);
    await expect(runtime.registrar.add({ ...options, cron: 'often' }, () => {})).rejects.toThrow(
      'JobRegistrar.add: cron',
    );
  });

  it('keep their cron if it is changed to undefined, and lose it if it is changed to an empty one', async () => {
    await runtime.registrar.register(job());
    await clock.advanceUntil(runtime.start());

    const kept = await clock.advanceUntil(runtime.registrar.change(JOB, { cron: undefined, label: 'nightly' }));
    expect(kept).toMatchObject({ cron: '0 * * * * ?', label: 'nightly' });
    await clock.advanceUntil(runtime.registrar.change(JOB, { cron: '' }));
    await clock.advance(120_000);

    expect(fired).toEqual([]);
    expect(runtime.registrar.isTicking(JOB)).toBe(false);
    expect(runtime.registrar.nextFireTimes(JOB, 3)).toEqual([]);
  });

  it('run by a change as soon as it is made, and the registry holds it', async () => {
    await runtime.registrar.register(job());
    await clock.advanceUntil(runtime.start());

    await clock.advanceUntil(runtime.registrar.change(JOB, { cron: '0/10 * * * * ?', jobParameter: 'all' }));
    await clock.advance(30_000);

    expect(fired).toEqual([JOB, JOB, JOB]);
    expect(runtime.registrar.jobs).toMatchObject([{ configuration: { cron: '0/10 * * * * ?', jobParameter: 'all' } }]);
    const wrong = runtime.registrar.change(JOB, { shardingTotalCount: 0 });
    await expect(wrong).rejects.toThrow('JobRegistrar.change: shardingTotalCount');
  });

  it.each(NO_SETTINGS)('are refused %s as a change, and the registry keeps what it has', async (_, given, problems) => {
    await runtime.registrar.register(job());
    await clock.advanceUntil(runtime.start());
    const before = await registry.read(`/${JOB}/config`);

    await expect(runtime.registrar.change(JOB, given)).rejects.toMatchObject({
      code: 'CONFIGURATION',
      place: 'JobRegistrar.change',
      problems: problems.map((problem) => expect.stringContaining(problem)),
    });
    expect(await registry.read(`/${JOB}/config`)).toEqual(before);
  });

  it.each([...NO_EDITS])('are refused a change of type %s', async (type, given) => {
    await runtime.registrar.register(job());
    await clock.advanceUntil(runtime.start());

    await expect(runtime.registrar.change(JOB, untyped(given))).rejects.toMatchObject({
      code: 'CONFIGURATION',
      problems: [expect.stringContaining(`must be an object, but are of type ${type}`)],
    });
  });

  it('take an undefined name for no change', async () => {
    await runtime.registrar.register(job());
    await clock.advanceUntil(runtime.start());
    const given = untyped({ name: undefined, executor: undefined, croon: undefined, label: 'nightly' });
    const changed = await clock.advanceUntil(runtime.registrar.change(JOB, given));
    expect(changed).toMatchObject({ jobName: JOB, label: 'nightly' });
  });

  it('can be changed back to the defaults', async () => {
    await runtime.registrar.register(job({ onHung: 'release', maxAttempts: 5, timeoutMs: 7_000 }));
    await clock.advanceUntil(runtime.start());

    const changed = runtime.registrar.change(JOB, { onHung: 'wait', maxAttempts: 1, timeoutMs: undefined });
    const expected = { onHung: 'wait', maxAttempts: 1, timeoutMs: undefined };
    expect(await clock.advanceUntil(changed)).toMatchObject(expected);
  });

  it.each([
    [{ misfire: false }, { misfire: false, misfirePolicy: 'skip' }],
    [{ misfirePolicy: 'skip' as const }, { misfire: false, misfirePolicy: 'skip' }],
    [{ misfirePolicy: 'all' as const }, { misfire: true, misfirePolicy: 'all' }],
  ])('follow with the other misfire setting if %o is changed, and come back', async (changes, expected) => {
    await runtime.registrar.register(job());
    await clock.advanceUntil(runtime.start());

    expect(await clock.advanceUntil(runtime.registrar.change(JOB, changes))).toMatchObject(expected);
    const back = await clock.advanceUntil(runtime.registrar.change(JOB, { misfire: true }));
    expect(back).toMatchObject({ misfire: true, misfirePolicy: expected.misfire ? expected.misfirePolicy : 'once' });
  });

  it('are refused with both remedies if only monitorExecution is switched off under failover', async () => {
    await runtime.registrar.register(job({ failover: true }));
    await clock.advanceUntil(runtime.start());

    const changing = runtime.registrar.change(JOB, { monitorExecution: false });
    await expect(changing).rejects.toThrow('leave monitorExecution out, or set failover to false');
    const both = { monitorExecution: false, failover: false };
    expect(await clock.advanceUntil(runtime.registrar.change(JOB, both))).toMatchObject(both);
    const adding = runtime.registrar.add(
      { name: 'added', shardingTotalCount: 1, failover: true, monitorExecution: false },
      () => {},
    );
    await expect(adding).rejects.toThrow('JobRegistrar.add: failover must not be true with monitorExecution: false');
  });

  it('refuse misfire settings that contradict each other in one change', async () => {
    await runtime.registrar.register(job());
    await clock.advanceUntil(runtime.start());

    const changing = runtime.registrar.change(JOB, { misfire: false, misfirePolicy: 'all' });
    await expect(changing).rejects.toThrow('contradicts');
  });

  it.each([
    [
      'listed in two modules',
      'OrderJobs.settle',
      'OrderJobs.settle',
      /is its provider listed in two modules\? Let one/,
    ],
    ['declared twice', 'OrderJobs.settle', 'OtherJobs.settle', /has it already; give one of them another name$/],
    ['declared and added', 'OrderJobs.settle', 'JobRegistrar.add', /has it already; give one of them another name$/],
    ['added and declared', 'JobRegistrar.add', 'OrderJobs.settle', /has it already; give one of them another name$/],
  ])('are refused with a remedy if their name is %s', async (_, taken, place, remedy) => {
    await runtime.registrar.register(job({ place: taken }));
    await expect(runtime.registrar.register(job({ place }))).rejects.toThrow(remedy);
  });

  it('are refused if their props have a fault, unless a template has created them', async () => {
    const findPropsFaults = () => ['uri is missing'];
    const { registrar } = runtime;
    await expect(registrar.register({ ...job(), findPropsFaults })).rejects.toThrow(
      `job "${JOB}" (OrderJobs.settle): uri is missing`,
    );
    expect(registrar.jobs).toEqual([]);
    await registrar.register({ ...job(), findPropsFaults, createdAs: 1n });
    expect(registrar.jobs).toHaveLength(1);
  });

  it("find a user's own strategy by its type in a change", async () => {
    const strategies = [{ type: 'BY_REGION', shard: () => new Map() }];
    const options = { namespace: 'test', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 };
    const other = new ElasticJobRuntime({ registry: new MemoryRegistry(clock).center(options), clock, strategies });
    await other.registrar.register(job());
    await clock.advanceUntil(other.start());
    const changed = other.registrar.change(JOB, { strategy: 'BY_REGION' });
    expect(await clock.advanceUntil(changed)).toMatchObject({ strategy: strategies[0] });
    await clock.advanceUntil(other.stop());
  });

  it('accept a smaller number of items than they have parameters for', async () => {
    await runtime.registrar.register(job({ shardingTotalCount: 2, shardingItemParameters: '0=east,1=west' }));
    await clock.advanceUntil(runtime.start());
    const changed = await clock.advanceUntil(runtime.registrar.change(JOB, { shardingTotalCount: 1 }));
    expect(changed).toMatchObject({ shardingTotalCount: 1 });
  });

  it('are refused by a process that has stopped', async () => {
    await clock.advanceUntil(runtime.start());
    await clock.advanceUntil(runtime.stop());
    await expect(runtime.registrar.register(job())).rejects.toThrow(ShuttingDownError);
    expect(runtime.registrar.jobs).toEqual([]);
  });

  it('are refused if the registry has a job of ElasticJob 2 by that name', async () => {
    await clock.advanceUntil(runtime.start());
    const className = 'com.acme.SettleOrders';
    await registry.create(`/${JOB}`, className, 'PERSISTENT');
    await registry.create(
      `/${JOB}/config`,
      `{"jobName":"${JOB}","jobClass":"${className}","jobType":"SIMPLE","shardingTotalCount":1}`,
      'PERSISTENT',
    );
    const adding = clock.advanceUntil(runtime.registrar.register({ ...job(), className }));
    await expect(adding).rejects.toThrow(ElasticJob2ConfigurationError);
    expect(runtime.registrar.jobs).toEqual([]);
  });

  it('fail with the error and leave their name free if they cannot start', async () => {
    await clock.advanceUntil(runtime.start());

    await expect(
      clock.advanceUntil(runtime.registrar.register(job({ shardingTotalCount: 1_000_000 }))),
    ).rejects.toThrow('at most');

    expect(runtime.registrar.jobs).toEqual([]);
    await clock.advanceUntil(runtime.registrar.register(job()));
  });

  it('leave nothing behind if they are removed while they are added', async () => {
    await clock.advanceUntil(runtime.start());
    const adding = runtime.registrar.register(job()).catch((error: unknown) => error);
    const removing = runtime.registrar.remove(JOB);

    await clock.advanceUntil(Promise.all([adding, removing]));
    await clock.advance(120_000);

    expect(fired).toEqual([]);
    await clock.advanceUntil(runtime.registrar.register(job()));
    expect(await runtime.instances.instances(JOB)).toHaveLength(1);
  });

  it('go on with the fire times after now once they are resumed', async () => {
    await clock.advanceUntil(runtime.start());
    await clock.advanceUntil(runtime.registrar.register(job()));
    const { registrar } = runtime;

    registrar.pause(JOB);
    expect(registrar.isTicking(JOB)).toBe(false);
    await clock.advance(90_000);
    registrar.resume(JOB);
    expect([fired, registrar.isTicking(JOB)]).toEqual([[], true]);

    const [next] = registrar.nextFireTimes(JOB);
    await clock.advance(30_000);
    expect([fired, registrar.lastFireTime(JOB)]).toEqual([[JOB], next]);
  });

  it('give their next fire times, one after the other', () => {
    void runtime.registrar.register(job());
    const now = clock.wallNow();

    expect(runtime.registrar.nextFireTimes(JOB, 3)).toEqual([now + 60_000, now + 120_000, now + 180_000]);
  });

  it('are named in the error if they do not exist', async () => {
    expect(() => runtime.registrar.pause('nobody')).toThrow(UnknownJobError);
    await expect(runtime.registrar.remove('nobody')).rejects.toThrow('nobody');
  });
});

function job({ place = 'OrderJobs.settle', ...options }: Partial<JobOptions> & { place?: string } = {}): JobDefinition {
  const configuration = resolveJobOptions(
    { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 1, ...options },
    { place },
  );
  return { configuration, className: JOB, place, handler: ({ jobName }) => fired.push(jobName) };
}
