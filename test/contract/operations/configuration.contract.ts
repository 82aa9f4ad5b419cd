import { describe, expect, it } from 'vitest';
import { JobConfigurationApi, type JobConfigurationChanges } from '../../../libs/elastic-job/src/operations/index.js';
import { NO_EDITS, NO_SETTINGS, untyped } from '@test/support/unit/no-settings.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { javaConfig, NEVER } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';
const CODE: readonly string[] = [
  'overwrite',
  'className',
  'isolation',
  'workerModule',
  'workerExport',
  'executor',
  'appName',
  'task',
];

export function describeConfigurationApi(adapter: RegistryAdapter): void {
  describe('JobConfigurationApi', () => {
    const { stage } = useStage(adapter);

    it("reads a job of Java's as Java would, at one request", async () => {
      await stage().writeJava(JOB, { config: 'cron: 0/5 * * * * ?\njobName: settle-orders\nshardingTotalCount: 3\n' });
      const api = new JobConfigurationApi(stage().registry);

      const cost = await costOf(stage().registry, async () => {
        expect(await api.getJobConfiguration(JOB)).toMatchObject({
          jobName: JOB,
          cron: '0/5 * * * * ?',
          shardingTotalCount: 3,
          strategy: 'AVG_ALLOCATION',
          misfire: false,
          monitorExecution: false,
        });
      });

      expect(cost).toBe(1);
    });

    it("keeps Java's average in an edited job of Java's until an edit names the default strategy", async () => {
      await stage().writeJava(JOB, { config: 'cron: 0/5 * * * * ?\njobName: settle-orders\nshardingTotalCount: 3\n' });
      const api = new JobConfigurationApi(stage().registry);

      await api.updateJobConfiguration(JOB, { description: 'x' });
      const edited = await api.getJobConfiguration(JOB);
      await api.updateJobConfiguration(JOB, { strategy: 'BALANCED' });
      const changed = await api.getJobConfiguration(JOB);

      expect([edited?.strategy, changed?.strategy]).toEqual(['AVG_ALLOCATION', 'BALANCED']);
    });

    it('takes no strategy in a job of ours for the default one, and writes that only if an edit names it', async () => {
      await stage().start('10.0.0.1', [{ name: JOB, shardingTotalCount: 2 }]);
      const api = new JobConfigurationApi(stage().registry);
      expect(await api.getJobConfiguration(JOB)).toMatchObject({ strategy: 'BALANCED' });

      await api.updateJobConfiguration(JOB, { description: 'x' });
      expect(await stage().value(`/${JOB}/config`)).not.toContain('trategy');
      await api.updateJobConfiguration(JOB, { strategy: null });

      expect(await stage().value(`/${JOB}/config`)).toContain('nestjs.strategy: BALANCED');
    });

    it('finds no configuration of a job that does not exist', async () => {
      expect(await new JobConfigurationApi(stage().registry).getJobConfiguration(JOB)).toBeUndefined();
    });

    it('refuses to read or change a node that cannot be read, and keeps it', async () => {
      await stage().writeJava(JOB, { config: 'cron: [' });
      const api = new JobConfigurationApi(stage().registry);
      const unreadable = { code: 'CONFIGURATION_NODE', jobName: JOB };

      await expect(api.getJobConfiguration(JOB)).rejects.toMatchObject(unreadable);
      await expect(api.updateJobConfiguration(JOB, { cron: NEVER })).rejects.toMatchObject(unreadable);
      expect(await stage().value(`/${JOB}/config`)).toBe('cron: [');
    });

    it("puts an operator's change into force on a running job, at 2 requests, and keeps the rest", async () => {
      const runtime = await stage().start('10.0.0.1', [{ name: JOB, shardingTotalCount: 2, jobParameter: 'p' }]);
      const api = new JobConfigurationApi(stage().registry);

      const cost = await costOf(stage().registry, () =>
        api.updateJobConfiguration(JOB, { shardingTotalCount: 4, failover: true, strategy: 'ODEVITY' }),
      );
      await stage().until(() => runtime.configurations.current(JOB).shardingTotalCount === 4);

      expect(cost).toBe(2);
      expect(runtime.configurations.current(JOB)).toMatchObject({ cron: NEVER, failover: true, jobParameter: 'p' });
      expect(await api.getJobConfiguration(JOB)).toMatchObject({ strategy: 'ODEVITY', shardingTotalCount: 4 });
    });

    it('shows what an edit would make, at one request, and writes nothing', async () => {
      await stage().start('10.0.0.1', [{ name: JOB, shardingTotalCount: 2, jobParameter: 'p' }]);
      const api = new JobConfigurationApi(stage().registry);
      const before = await stage().value(`/${JOB}/config`);

      const cost = await costOf(stage().registry, async () => {
        expect(await api.previewJobConfiguration(JOB, { shardingTotalCount: 4 })).toMatchObject({
          shardingTotalCount: 4,
          jobParameter: 'p',
        });
      });

      expect(cost).toBe(1);
      expect(await stage().value(`/${JOB}/config`)).toBe(before);
      await expect(api.previewJobConfiguration(JOB, { shardingTotalCount: 0 })).rejects.toMatchObject({
        code: 'CONFIGURATION',
      });
      await expect(api.previewJobConfiguration('missing', {})).rejects.toMatchObject({ code: 'UNKNOWN_JOB' });
    });

    it.each([
      [{ misfire: false }, { misfire: false, misfirePolicy: 'skip' }],
      [{ misfire: true }, { misfire: true, misfirePolicy: 'all' }],
      [{ misfirePolicy: 'skip' }, { misfire: false, misfirePolicy: 'skip' }],
      [{ misfirePolicy: null }, { misfire: true, misfirePolicy: 'once' }],
    ] as const)(
      'keeps misfire and misfirePolicy in agreement when an operator changes %o',
      async (changes, expected) => {
        const lines = [`cron: ${NEVER}`, `jobName: ${JOB}`, 'misfire: true', 'props: {nestjs.misfirePolicy: all}'];
        await stage().writeJava(JOB, { config: [...lines, 'shardingTotalCount: 1', ''].join('\n') });
        const api = new JobConfigurationApi(stage().registry);

        expect(await api.updateJobConfiguration(JOB, changes)).toMatchObject(expected);
        expect(await api.getJobConfiguration(JOB)).toMatchObject(expected);
      },
    );

    it('gives the settings a version, by which an edit is refused once they have changed', async () => {
      await stage().writeJava(JOB);
      const api = new JobConfigurationApi(stage().registry);
      const first = (await api.getJobConfiguration(JOB))!;

      const edited = await api.updateJobConfiguration(JOB, { description: 'a' }, { version: first.version });
      const again = await api.updateJobConfiguration(JOB, { description: 'a' }, { version: edited.version });
      const late = api.updateJobConfiguration(JOB, { description: 'b' }, { version: first.version });

      expect([first, edited, again].map(({ version }) => version)).toEqual([0, 1, 1]);
      await expect(late).rejects.toMatchObject({ code: 'CHANGED', jobName: JOB, expected: 0, version: 1 });
      expect(await api.getJobConfiguration(JOB)).toMatchObject({ description: 'a', version: 1 });
    });

    it('accepts one of several edits that were made for the same version', async () => {
      await stage().writeJava(JOB);
      const clients = [stage().registry, await stage().client(), await stage().client()];

      const edits = await Promise.allSettled(
        clients.map((client, n) =>
          new JobConfigurationApi(client).updateJobConfiguration(JOB, { description: `edit ${n}` }, { version: 0 }),
        ),
      );

      expect(edits.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(edits.flatMap((edit) => (edit.status === 'rejected' ? [edit.reason.code] : []))).toEqual([
        'CHANGED',
        'CHANGED',
      ]);
    });

    it.each([{ version: undefined }, { version: '1' }, { versoin: 1 }])(
      'refuses an edit whose expected version is none, and keeps the node: %j',
      async (options) => {
        await stage().writeJava(JOB);
        const edit = new JobConfigurationApi(stage().registry).updateJobConfiguration(JOB, {}, untyped(options));

        await expect(edit).rejects.toMatchObject({ code: 'CONFIGURATION' });
        expect(await stage().value(`/${JOB}/config`)).toBe(javaConfig(JOB));
      },
    );

    it('keeps both changes if two operators change different settings at once', async () => {
      await stage().writeJava(JOB);
      const clients = [stage().registry, await stage().client(), await stage().client()];
      const changes = [{ cron: NEVER }, { description: 'mine' }, { jobParameter: 'yours' }];

      await Promise.all(
        clients.map((client, n) => new JobConfigurationApi(client).updateJobConfiguration(JOB, changes[n]!)),
      );

      expect(await new JobConfigurationApi(stage().registry).getJobConfiguration(JOB)).toMatchObject(
        Object.assign({}, ...changes),
      );
    });

    it.each<[JobConfigurationChanges & { readonly [other: string]: unknown }, string, string]>([
      [{ cron: '0 0 *' }, 'cron', '"0 0 *"'],
      [{ shardingTotalCount: 0 }, 'shardingTotalCount', 'but is 0'],
      [{ shardingTotalCount: 1_000_000 }, 'shardingTotalCount', '1000000'],
      [{ strategy: 'SPREAD' }, 'strategy', '"SPREAD"'],
      [{ timeZone: 'Europe/Berln' }, 'timeZone', '"Europe/Berln"'],
      [{ shardingtotalCount: 2 }, 'shardingtotalCount', 'shardingTotalCount'],
    ])('refuses a wrong value by name, and keeps the node: %j (fault 20)', async (changes, field, value) => {
      await stage().writeJava(JOB);
      const update = new JobConfigurationApi(stage().registry).updateJobConfiguration(JOB, changes);

      await expect(update).rejects.toMatchObject({
        code: 'CONFIGURATION',
        problems: [expect.stringContaining(field)],
      });
      await expect(update).rejects.toThrow(value);
      expect(await stage().value(`/${JOB}/config`)).toBe(javaConfig(JOB));
    });

    it.each(NO_SETTINGS)('refuses %s in an edit, and keeps the node', async (_, given, problems) => {
      await stage().writeJava(JOB);

      await expect(new JobConfigurationApi(stage().registry).updateJobConfiguration(JOB, given)).rejects.toMatchObject({
        code: 'CONFIGURATION',
        problems: problems.map((problem) => expect.stringContaining(problem)),
      });
      expect(await stage().value(`/${JOB}/config`)).toBe(javaConfig(JOB));
    });

    it.each([...NO_EDITS])('refuses an edit of type %s, and keeps the node', async (type, given) => {
      await stage().writeJava(JOB);

      await expect(
        new JobConfigurationApi(stage().registry).updateJobConfiguration(JOB, untyped(given)),
      ).rejects.toMatchObject({
        code: 'CONFIGURATION',
        problems: [expect.stringContaining(`must be an object, but are of type ${type}`)],
      });
      expect(await stage().value(`/${JOB}/config`)).toBe(javaConfig(JOB));
    });

    it('takes undefined for no change, whatever its name, and tells no option of the code', async () => {
      await stage().writeJava(JOB);
      const api = new JobConfigurationApi(stage().registry);

      const before = await api.getJobConfiguration(JOB);

      const given = untyped({ name: undefined, executor: undefined, croon: undefined });
      expect(await api.updateJobConfiguration(JOB, given)).toEqual({ ...before, version: 1 });

      expect(await api.getJobConfiguration(JOB)).toEqual({ ...before, version: 1 });
      expect(Object.keys(before!).filter((name) => CODE.includes(name))).toEqual([]);
    });

    it('restores the default of a setting that is changed to null', async () => {
      await stage().start('10.0.0.1', [{ name: JOB, shardingTotalCount: 2, timeoutMs: 5, description: 'x' }]);
      const api = new JobConfigurationApi(stage().registry);

      const now = await api.updateJobConfiguration(JOB, { timeoutMs: null, description: null, cron: undefined });

      expect(now).toMatchObject({ timeoutMs: undefined, description: '', cron: NEVER });
      expect(now).toEqual(await api.getJobConfiguration(JOB));
      expect(now).toSatisfy(Object.isFrozen);
    });

    it('brings a default into force on an instance whose own options differ', async () => {
      const given = { name: JOB, shardingTotalCount: 1, maxAttempts: 5, timeoutMs: 7_000 };
      const runtime = await stage().start('10.0.0.1', [given]);
      const api = new JobConfigurationApi(stage().registry);

      await api.updateJobConfiguration(JOB, { maxAttempts: null, timeoutMs: null });
      await stage().until(() => runtime.configurations.current(JOB).maxAttempts === 1);

      expect(runtime.configurations.current(JOB)).toMatchObject({ maxAttempts: 1, timeoutMs: undefined });
    });

    it('corrects a node with a wrong cron expression, which cannot be read before', async () => {
      await stage().writeJava(JOB, { config: javaConfig(JOB).replace(/^cron.*$/m, 'cron: never') });
      const api = new JobConfigurationApi(stage().registry);

      await expect(api.getJobConfiguration(JOB)).rejects.toMatchObject({ code: 'CONFIGURATION_NODE' });
      await expect(api.updateJobConfiguration(JOB, { failover: true })).rejects.toThrow('"never"');
      await api.updateJobConfiguration(JOB, { cron: NEVER });

      expect(await api.getJobConfiguration(JOB)).toMatchObject({ cron: NEVER, shardingTotalCount: 3, failover: false });
    });

    it('keeps failover that Java has left without monitorExecution', async () => {
      const config = javaConfig(JOB)
        .replace(/^failover.*$/m, 'failover: true')
        .replace(/^monitorExecution.*$/m, 'monitorExecution: false');
      await stage().writeJava(JOB, { config });
      const api = new JobConfigurationApi(stage().registry);

      const now = await api.updateJobConfiguration(JOB, { description: 'nightly' });
      expect(now).toMatchObject({ description: 'nightly', failover: true, monitorExecution: false });
      await expect(api.updateJobConfiguration(JOB, { failover: true })).rejects.toThrow(
        'leave monitorExecution out, or set failover to false',
      );
    });

    it('lets the total shrink below the named parameters, but refuses to write them again', async () => {
      const shardingItemParameters = '0=a,1=b,2=c';
      await stage().start('10.0.0.1', [{ name: JOB, shardingTotalCount: 3, shardingItemParameters }]);
      const api = new JobConfigurationApi(stage().registry);

      expect(await api.updateJobConfiguration(JOB, { shardingTotalCount: 2 })).toMatchObject({
        shardingItemParameters,
      });
      await expect(api.updateJobConfiguration(JOB, { shardingItemParameters })).rejects.toThrow('names 2');
    });

    it("keeps a strategy in the node that only the job's processes have", async () => {
      const strategy = { type: 'BY_REGION', shard: () => new Map() };
      await stage().start('10.0.0.1', [{ name: JOB, shardingTotalCount: 2, strategy }]);
      const api = new JobConfigurationApi(stage().registry);

      await api.updateJobConfiguration(JOB, { description: 'x' });

      expect(await api.getJobConfiguration(JOB)).toMatchObject({ strategy: 'BY_REGION', description: 'x' });
    });

    it('names the unknown job or setting', async () => {
      const api = new JobConfigurationApi(stage().registry);
      await expect(api.updateJobConfiguration(JOB, {})).rejects.toMatchObject({ code: 'UNKNOWN_JOB', jobName: JOB });
      await expect(api.updateJobConfiguration('a/b', {})).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    });
  });
}
