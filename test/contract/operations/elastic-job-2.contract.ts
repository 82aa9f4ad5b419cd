import { describe, expect, it } from 'vitest';
import { ElasticJob2ConfigurationError } from '../../../libs/elastic-job/src/coordination/index.js';
import { resolveJobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import {
  JobConfigurationApi,
  JobOperateApi,
  JobStatisticsApi,
  ServerStatisticsApi,
  ShardingStatisticsApi,
} from '../../../libs/elastic-job/src/operations/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { clock, NEVER } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';
const INSTANCE = '10.0.0.7@-@17';
/** As ElasticJob 2.1.5 writes it. */
const CONFIG =
  `{"jobName":"${JOB}","jobClass":"com.acme.J","jobType":"SIMPLE","cron":"0/5 * * * * ?","shardingTotalCount":3,` +
  '"shardingItemParameters":"","jobParameter":"password","failover":false,"misfire":true,"description":"",' +
  '"jobProperties":{},"monitorExecution":true,"maxTimeDiffSeconds":-1,"monitorPort":-1,' +
  '"jobShardingStrategyClass":"","reconcileIntervalMinutes":10,"disabled":false,"overwrite":false}';

/** The tree of a job of ElasticJob 2.1: root, instances and enabled servers have no text. */
const NODES = {
  '': '',
  '/config': CONFIG,
  '/instances': '',
  [`/instances/${INSTANCE}`]: '',
  '/servers': '',
  '/servers/10.0.0.7': '',
  '/sharding': '',
  '/sharding/0': '',
  '/sharding/0/instance': INSTANCE,
};

export function describeElasticJob2(adapter: RegistryAdapter): void {
  describe('a job of ElasticJob 2', () => {
    const { stage } = useStage(adapter);
    const writeOld = async () => {
      for (const [path, data] of Object.entries(NODES)) {
        const mode = path.startsWith('/instances/') ? 'EPHEMERAL' : 'PERSISTENT';
        await stage().registry.create(`/${JOB}${path}`, data, mode);
      }
    };
    const textOf = () => new JobOperateApi(stage().registry, clock).dump(JOB, { hideSecrets: false });

    it.each([false, true])(
      'refuses a new job of its name with overwrite: %s, and writes nothing',
      async (overwrite) => {
        await writeOld();
        const before = await textOf();
        const runtime = await stage().start('10.0.0.2', [{ name: 'ours', shardingTotalCount: 1 }]);
        const add = async (name: string) => {
          const options = { name, cron: NEVER, shardingTotalCount: 1, overwrite };
          const configuration = resolveJobOptions(options, { place: 'spec' });
          await runtime.registrar.register({ configuration, className: 'J', place: 'spec', handler: () => {} });
        };

        await expect(add(JOB)).rejects.toThrow(
          /job "settle-orders" .*ElasticJob 2 .*another job name or namespace.*importElasticJob2Configuration/,
        );

        expect(await textOf()).toBe(before);
        expect(runtime.registrar.jobs.map(({ jobName }) => jobName)).toEqual(['ours']);
        await add('other');
        expect(runtime.registrar.jobs.map(({ jobName }) => jobName)).toEqual(['ours', 'other']);
      },
    );

    it('makes a process with a job of its name report why that waits, and other jobs run', async () => {
      await writeOld();
      const before = await textOf();

      const runtime = await stage().start('10.0.0.2', [
        { name: JOB, shardingTotalCount: 1 },
        { name: 'ours', shardingTotalCount: 1 },
      ]);

      await stage().until(() => stage().has('/ours/sharding/0/instance'));
      const problems = runtime.status().jobs.map((job) => [job.jobName, job.problem]);
      expect(problems).toEqual([
        [JOB, expect.stringContaining('written by ElasticJob 2')],
        ['ours', undefined],
      ]);
      expect(await textOf()).toBe(before);
    });

    it('is listed with the problem, beside other jobs', async () => {
      await writeOld();
      await stage().writeJava('java');
      const jobs = new JobStatisticsApi(stage().registry);
      const problem = expect.stringContaining('written by ElasticJob 2');
      const old = { jobName: JOB, cron: undefined, shardingTotalCount: 0, instanceCount: 1, problem };

      expect(await jobs.getJobsTotalCount()).toBe(2);
      expect(await jobs.getAllJobsBriefInfo()).toMatchObject([{ jobName: 'java', problem: undefined }, old]);
      expect(await jobs.getJobBriefInfo(JOB)).toMatchObject(old);
      expect(await jobs.getJobsBriefInfo('10.0.0.7')).toMatchObject([old]);
      expect(await new ServerStatisticsApi(stage().registry).getAllServersBriefInfo()).toMatchObject([
        { serverIp: '10.0.0.7', instances: [INSTANCE], jobNames: [JOB] },
      ]);
      expect(await new ShardingStatisticsApi(stage().registry).getShardingInfo(JOB)).toMatchObject([
        { item: 0, instanceId: INSTANCE },
      ]);
    });

    it('refuses triggers, reads and changes with its own error, and writes nothing', async () => {
      await writeOld();
      const before = await textOf();
      const operations = new JobOperateApi(stage().registry, clock);
      const configurations = new JobConfigurationApi(stage().registry);

      await expect(operations.trigger(JOB)).rejects.toThrow(ElasticJob2ConfigurationError);
      await expect(operations.cancel(JOB, 0)).rejects.toThrow(ElasticJob2ConfigurationError);
      await expect(configurations.getJobConfiguration(JOB)).rejects.toThrow(ElasticJob2ConfigurationError);
      const changed = configurations.updateJobConfiguration(JOB, { description: 'new' });
      await expect(changed).rejects.toThrow(ElasticJob2ConfigurationError);

      expect(await textOf()).toBe(before);
    });

    it('is dumped without its parameters', async () => {
      await writeOld();

      const dump = await new JobOperateApi(stage().registry, clock).dump(JOB);

      expect(dump).toContain('jobClass');
      expect(dump).not.toContain('password');
    });

    it('frees its name when it is removed', async () => {
      await writeOld();

      await new JobConfigurationApi(stage().registry).removeJobConfiguration(JOB);

      const runtime = await stage().startSharded('10.0.0.2', { name: JOB, shardingTotalCount: 1 });
      expect(runtime.registrar.jobs.map(({ jobName }) => jobName)).toEqual([JOB]);
    });

    it('takes a request for a run of a job whose config node cannot be read', async () => {
      await stage().writeJava(JOB, { config: 'cron: [', instances: [[INSTANCE, '10.0.0.7']] });

      expect(await new JobOperateApi(stage().registry, clock).trigger(JOB)).toMatchObject({ asked: [INSTANCE] });
    });
  });
}
