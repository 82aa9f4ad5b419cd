import { describe, expect, it } from 'vitest';
import { JobConfigurationApi, type JobConfigurationChanges } from '../../../libs/elastic-job/src/operations/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { javaConfig, NEVER } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';

export function describeConfigurationApi(adapter: RegistryAdapter): void {
  describe('JobConfigurationApi', () => {
    const { stage } = useStage(adapter);

    it("given a job of Java's, when its configuration is asked for, then it is what Java takes the text for, at one request", async () => {
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

    it('given no such job, when its configuration is asked for, then there is none', async () => {
      expect(await new JobConfigurationApi(stage().registry).getJobConfiguration(JOB)).toBeUndefined();
    });

    it('given a node that cannot be read, when it is asked for or changed, then the error says so and the node stays', async () => {
      await stage().writeJava(JOB, { config: 'cron: [' });
      const api = new JobConfigurationApi(stage().registry);
      const unreadable = { code: 'CONFIGURATION_NODE', jobName: JOB };

      await expect(api.getJobConfiguration(JOB)).rejects.toMatchObject(unreadable);
      await expect(api.updateJobConfiguration(JOB, { cron: NEVER })).rejects.toMatchObject(unreadable);
      expect(await stage().value(`/${JOB}/config`)).toBe('cron: [');
    });

    it('given a job that runs, when an operator changes it, then it is in force there, at 2 requests, and the rest is as it was', async () => {
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

    it.each([
      [{ misfire: false }, { misfire: false, misfirePolicy: 'skip' }],
      [{ misfire: true }, { misfire: true, misfirePolicy: 'all' }],
      [{ misfirePolicy: 'skip' }, { misfire: false, misfirePolicy: 'skip' }],
      [{ misfirePolicy: null }, { misfire: true, misfirePolicy: 'once' }],
    ] as const)(
      'given a job that catches up on all, when an operator changes %o, then switch and policy agree',
      async (changes, expected) => {
        await stage().writeJava(JOB, {
          config: `cron: ${NEVER}\njobName: ${JOB}\nmisfire: true\nprops: {nestjs.misfirePolicy: all}\nshardingTotalCount: 1\n`,
        });
        const api = new JobConfigurationApi(stage().registry);

        expect(await api.updateJobConfiguration(JOB, changes)).toMatchObject(expected);
        expect(await api.getJobConfiguration(JOB)).toMatchObject(expected);
      },
    );

    it('given two operators who change different settings at once, when both are done, then both changes are there', async () => {
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
    ])(
      'fault 20: given a wrong value, when it is written, then it is refused by name and the node stays (%j)',
      async (changes, field, value) => {
        await stage().writeJava(JOB);
        const update = new JobConfigurationApi(stage().registry).updateJobConfiguration(JOB, changes);

        await expect(update).rejects.toMatchObject({
          code: 'CONFIGURATION',
          problems: [expect.stringContaining(field)],
        });
        await expect(update).rejects.toThrow(value);
        expect(await stage().value(`/${JOB}/config`)).toBe(javaConfig(JOB));
      },
    );

    it('given a setting that was changed, when null is given, then it is the default again', async () => {
      await stage().start('10.0.0.1', [{ name: JOB, shardingTotalCount: 2, timeoutMs: 5, description: 'x' }]);
      const api = new JobConfigurationApi(stage().registry);

      const now = await api.updateJobConfiguration(JOB, { timeoutMs: null, description: null, cron: undefined });

      expect(now).toMatchObject({ timeoutMs: undefined, description: '', cron: NEVER });
      expect(now).toEqual(await api.getJobConfiguration(JOB));
      expect(now).toSatisfy(Object.isFrozen);
    });

    it('given a job with options of its own, when null is given for one, then the default is in force there', async () => {
      const given = { name: JOB, shardingTotalCount: 1, maxAttempts: 5, timeoutMs: 7_000 };
      const runtime = await stage().start('10.0.0.1', [given]);
      const api = new JobConfigurationApi(stage().registry);

      await api.updateJobConfiguration(JOB, { maxAttempts: null, timeoutMs: null });
      await stage().until(() => runtime.configurations.current(JOB).maxAttempts === 1);

      expect(runtime.configurations.current(JOB)).toMatchObject({ maxAttempts: 1, timeoutMs: undefined });
    });

    it('given a node with a wrong cron expression, when that is changed, then it is corrected, and before it cannot be asked for', async () => {
      await stage().writeJava(JOB, { config: javaConfig(JOB).replace(/^cron.*$/m, 'cron: never') });
      const api = new JobConfigurationApi(stage().registry);

      await expect(api.getJobConfiguration(JOB)).rejects.toMatchObject({ code: 'CONFIGURATION_NODE' });
      await expect(api.updateJobConfiguration(JOB, { failover: true })).rejects.toThrow('"never"');
      await api.updateJobConfiguration(JOB, { cron: NEVER });

      expect(await api.getJobConfiguration(JOB)).toMatchObject({ cron: NEVER, shardingTotalCount: 3, failover: false });
    });

    it('given failover that Java has left without monitorExecution, when something else is changed, then it stays', async () => {
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

    it('given parameters for three items, when the total becomes two, then it does, and parameters for three cannot be written any more', async () => {
      const shardingItemParameters = '0=a,1=b,2=c';
      await stage().start('10.0.0.1', [{ name: JOB, shardingTotalCount: 3, shardingItemParameters }]);
      const api = new JobConfigurationApi(stage().registry);

      expect(await api.updateJobConfiguration(JOB, { shardingTotalCount: 2 })).toMatchObject({
        shardingItemParameters,
      });
      await expect(api.updateJobConfiguration(JOB, { shardingItemParameters })).rejects.toThrow('names 2');
    });

    it("given a strategy that only the job's processes have, when something else is changed, then it stays in the node", async () => {
      const strategy = { type: 'BY_REGION', shard: () => new Map() };
      await stage().start('10.0.0.1', [{ name: JOB, shardingTotalCount: 2, strategy }]);
      const api = new JobConfigurationApi(stage().registry);

      await api.updateJobConfiguration(JOB, { description: 'x' });

      expect(await api.getJobConfiguration(JOB)).toMatchObject({ strategy: 'BY_REGION', description: 'x' });
    });

    it('given no such job or no such name, when it is changed, then the error says which', async () => {
      const api = new JobConfigurationApi(stage().registry);
      await expect(api.updateJobConfiguration(JOB, {})).rejects.toMatchObject({ code: 'UNKNOWN_JOB', jobName: JOB });
      await expect(api.updateJobConfiguration('a/b', {})).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    });
  });
}
