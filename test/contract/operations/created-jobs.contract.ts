import { describe, expect, it } from 'vitest';
import { UnknownJobError } from '../../../libs/elastic-job/src/domain/index.js';
import {
  JobConfigurationApi,
  JobExistsError,
  JobOperateApi,
  JobStatisticsApi,
} from '../../../libs/elastic-job/src/operations/index.js';
import { NO_EDITS, NO_SETTINGS, untyped } from '@test/support/unit/no-settings.js';
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

    it('writes root and config in one request, with the given settings only', async () => {
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
    ] as const)('writes settings %j as the line %s', async (settings, line) => {
      await operate().create({ ...NEW, ...settings });

      expect((await read('/config'))!.split('\n').map((text) => text.trim())).toContain(line);
    });

    it.each(NO_SETTINGS.filter(([, given]) => !('name' in given || 'cronDialect' in given)))(
      'refuses %s in a creation, and writes nothing',
      async (_, given, problems) => {
        const own = { ...Object.getOwnPropertyDescriptors(NEW), ...Object.getOwnPropertyDescriptors(given) };

        const created = operate().create(Object.create(Object.getPrototypeOf(given), own));

        await expect(created).rejects.toMatchObject({
          code: 'CONFIGURATION',
          problems: problems.map((problem) => expect.stringContaining(problem)),
        });
        expect(await read('')).toBeUndefined();
      },
    );

    it.each([...NO_EDITS])('refuses a creation of type %s', async (type, given) => {
      await expect(operate().create(untyped(given))).rejects.toMatchObject({
        code: 'CONFIGURATION',
        problems: [expect.stringContaining(`must be an object, but are of type ${type}`)],
      });
    });

    it('removes a setting from config that goes back to its default', async () => {
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

    it('writes only the changed setting if an instance changes it in code', async () => {
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
      'is refused if a root of its name exists with %j, and nothing is written',
      async (root) => {
        await stage().registry.create(`/${JOB}`, root, 'PERSISTENT');

        await expect(operate().create(NEW)).rejects.toThrow(JobExistsError);
        expect([await read(''), await read('/config')]).toEqual([root, undefined]);
      },
    );

    it('is created by one of many who create it at once', async () => {
      const clients = await Promise.all([1, 2, 3, 4].map(() => stage().client()));
      const answers = await Promise.allSettled(clients.map((client) => new JobOperateApi(client, clock).create(NEW)));

      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('is removed completely if an unfinished removal is asked for again', async () => {
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

    it('is removed completely if a part of it is deleted already', async () => {
      await operate().create(NEW);
      await stage().registry.set(`/${JOB}`, 'nestjs.removed:report');
      await stage().registry.delete(`/${JOB}/config`);
      await operate().remove(JOB);

      expect(await stage().names('/')).not.toContain(JOB);
    });
  });
}
