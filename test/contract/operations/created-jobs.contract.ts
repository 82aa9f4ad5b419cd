import { describe, expect, it } from 'vitest';
import { UnknownJobError } from '../../../libs/elastic-job/src/domain/index.js';
import {
  JobConfigurationApi,
  JobExistsError,
  JobOperateApi,
  JobStatisticsApi,
} from '../../../libs/elastic-job/src/operations/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { clock } from './stage.js';
import { useStage } from './support.js';

const JOB = 'report-acme';
const NEW = { name: JOB, template: 'report', shardingTotalCount: 3 };

export function describeCreatedJobs(adapter: RegistryAdapter): void {
  describe('a job that is created from a template', () => {
    const { stage } = useStage(adapter);
    const operate = () => new JobOperateApi(stage().registry, clock);
    const configure = () => new JobConfigurationApi(stage().registry);
    const read = async (node: string) => (await stage().registry.read(`/${JOB}${node}`))?.data;

    it('given some settings, when it is created, then one request has written root and config, which says only these', async () => {
      const settings = { cron: '0 0 3 * * ?', failover: false, timeoutMs: 5_000, props: { tenant: 'acme' } };
      expect(await costOf(stage().registry, () => operate().create({ ...NEW, ...settings }))).toBe(1);

      expect(await read('')).toBe('nestjs.template:report');
      expect(await read('/config')).toBe(
        [
          'cron: 0 0 3 * * ?',
          'failover: false',
          `jobName: ${JOB}`,
          'props:',
          '  nestjs.template: report',
          "  nestjs.timeoutMs: '5000'",
          '  tenant: acme',
          'shardingTotalCount: 3',
          '',
        ].join('\n'),
      );
    });

    it.each([
      [{ cron: '' }, "cron: ''"],
      [{ cron: '0 3 * * *', cronDialect: 'unix' }, 'cron: 0 0 3 * * ?'],
      [{ strategy: 'ROUND_ROBIN' }, 'jobShardingStrategyType: ROUND_ROBIN'],
      [{ misfirePolicy: 'skip' }, 'misfire: false'],
      [{ misfirePolicy: 'all' }, 'nestjs.misfirePolicy: all'],
      [{ after: 'import' }, 'nestjs.after: import'],
      [{ timeZone: 'Europe/Berlin' }, 'nestjs.timeZone: Europe/Berlin'],
    ] as const)('given %j, when it is created, then config has %s', async (settings, line) => {
      await operate().create({ ...NEW, ...settings });

      expect((await read('/config'))!.split('\n').map((text) => text.trim())).toContain(line);
    });

    it('given an edit, when a setting goes back to its default, then config says no more of it than the template does', async () => {
      await operate().create({ ...NEW, jobParameter: 'weekly', retryDelayMs: 10, props: { tenant: 'acme' } });

      await configure().updateJobConfiguration(JOB, { failover: true, shardingTotalCount: 5 });
      expect(await read('/config')).toContain('failover: true\n');
      await configure().updateJobConfiguration(JOB, { failover: null, jobParameter: null, retryDelayMs: null });

      expect(await read('/config')).toBe(
        [`jobName: ${JOB}`, 'props:', '  nestjs.template: report', '  tenant: acme', 'shardingTotalCount: 5', ''].join(
          '\n',
        ),
      );
      expect(await configure().getJobConfiguration(JOB)).toMatchObject({ shardingTotalCount: 5, cron: undefined });
    });

    it('given an instance with the template, when it changes a setting in code, then config says that setting alone', async () => {
      const runtime = await stage().start(
        '10.0.0.1',
        [{ name: 'other', shardingTotalCount: 1 }],
        [{ name: 'report', failover: true, jobParameter: 'daily' }],
      );
      await operate().create(NEW);
      await stage().until(() => runtime.status().jobs.some(({ jobName, isJoined }) => jobName === JOB && isJoined));

      const changed = await runtime.registrar.change(JOB, { description: 'for Acme' });

      expect(changed).toMatchObject({ description: 'for Acme', failover: true, jobParameter: 'daily' });
      expect(await read('/config')).toBe(
        [
          'description: for Acme',
          `jobName: ${JOB}`,
          'props:',
          '  nestjs.template: report',
          'shardingTotalCount: 3',
          '',
        ].join('\n'),
      );
    });

    it.each(['', 'nestjs.template:report', 'com.acme.OrderJob'])(
      'given a root of that name with %j, when it is created, then that is refused and nothing is written',
      async (root) => {
        await stage().registry.create(`/${JOB}`, root, 'PERSISTENT');

        await expect(operate().create(NEW)).rejects.toThrow(JobExistsError);
        expect([await read(''), await read('/config')]).toEqual([root, undefined]);
      },
    );

    it('given many who create it at once, when all are answered, then one has', async () => {
      const clients = await Promise.all([1, 2, 3, 4].map(() => stage().client()));
      const answers = await Promise.allSettled(clients.map((client) => new JobOperateApi(client, clock).create(NEW)));

      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('given a removal that somebody has begun and left, when it is asked for again, then it is completed', async () => {
      await operate().create(NEW);
      await stage().registry.set(`/${JOB}`, 'nestjs.removed:report');
      expect(await new JobStatisticsApi(stage().registry).getJobBriefInfo(JOB)).toMatchObject({
        template: 'report',
        isBeingRemoved: true,
      });
      await expect(operate().create(NEW)).rejects.toMatchObject({ isBeingRemoved: true, code: 'JOB_EXISTS' });

      await operate().remove(JOB);
      expect(await stage().names('/')).not.toContain(JOB);
      await expect(operate().remove(JOB)).rejects.toThrow(UnknownJobError);
    });

    it('given a part of it deleted already, when the removal is asked for again, then the rest goes', async () => {
      await operate().create(NEW);
      await stage().registry.set(`/${JOB}`, 'nestjs.removed:report');
      await stage().registry.delete(`/${JOB}/config`);
      await operate().remove(JOB);

      expect(await stage().names('/')).not.toContain(JOB);
    });
  });
}
