import { describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import {
  JobOperateApi,
  JobStatisticsApi,
  ServerStatisticsApi,
  ShardingOperateApi,
} from '../../../libs/elastic-job/src/operations/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { clock, javaConfig, NEVER } from './stage.js';
import { useStage } from './support.js';

const INSTANCE = ['10.0.0.1@-@1', '10.0.0.1'] as const;
const SERVED = { 'servers/10.0.0.1': 'ENABLED', 'sharding/0/instance': INSTANCE[0] };

export function describeStatistics(adapter: RegistryAdapter): void {
  describe('JobStatisticsApi', () => {
    const { stage } = useStage(adapter);

    it("reports the state of each job, ours or Java's, and skips nodes that are no jobs", async () => {
      await stage().startSharded('10.0.0.2', { name: 'ours', shardingTotalCount: 2, description: 'of ours' });
      await stage().writeJava('java', { instances: [INSTANCE], nodes: SERVED });
      await stage().writeJava('crashed', { nodes: SERVED });
      await stage().writeJava('disabled', {
        instances: [INSTANCE],
        nodes: { ...SERVED, 'servers/10.0.0.1': 'DISABLED' },
      });
      await stage().writeJava('owned-by-the-dead', {
        instances: [['10.0.0.3@-@1', '10.0.0.3']],
        nodes: SERVED,
      });
      await stage().writeJava('one-off', { config: javaConfig('one-off').replace(/^cron.*\n/, '') });
      await stage().registry.create('/foreign', '', 'PERSISTENT');
      const api = new JobStatisticsApi(stage().registry);

      const all = await api.getAllJobsBriefInfo();

      expect(all.map(({ jobName, status }) => [jobName, status])).toEqual([
        ['crashed', 'CRASHED'],
        ['disabled', 'DISABLED'],
        ['java', 'OK'],
        ['one-off', 'CRASHED'],
        ['ours', 'OK'],
        ['owned-by-the-dead', 'SHARDING_FLAG'],
      ]);
      expect(all.find(({ jobName }) => jobName === 'ours')).toEqual({
        jobName: 'ours',
        status: 'OK',
        description: 'of ours',
        cron: NEVER,
        instanceCount: 1,
        shardingTotalCount: 2,
        template: undefined,
        isBeingRemoved: false,
        after: [],
        disabledItemCount: 0,
        failedItemCount: 0,
        problem: undefined,
      });
      expect(all.find(({ jobName }) => jobName === 'one-off')).toMatchObject({ cron: undefined, problem: undefined });
      expect(all).toSatisfy(Object.isFrozen);
      expect(await api.getJobsTotalCount()).toBe(6);
      for (const info of all) expect(await api.getJobBriefInfo(info.jobName)).toEqual(info);
    });

    it('reports the jobs after which a job starts, and how many of its items are disabled', async () => {
      await stage().startSharded('10.0.0.2', { name: 'import', shardingTotalCount: 1 });
      const after = { name: 'report', cron: undefined, after: ['import', 'prices'], shardingTotalCount: 3 };
      await stage().startSharded('10.0.0.3', after);
      const items = new ShardingOperateApi(stage().registry);
      for (const item of [0, 2]) await items.disable('report', item);
      const api = new JobStatisticsApi(stage().registry);

      expect(await api.getJobBriefInfo('report')).toMatchObject({ after: ['import', 'prices'], disabledItemCount: 2 });
      expect(await api.getJobsBriefInfo('10.0.0.3')).toMatchObject([{ disabledItemCount: undefined }]);
    });

    it('reports how many items have failed in their last run', async () => {
      const faulty = new Set([1, 2]);
      const handler = ({ shardingItem }: ShardingContext) => {
        if (faulty.has(shardingItem)) throw new Error('no such table');
      };
      await stage().startSharded('10.0.0.2', { name: 'import', shardingTotalCount: 4, handler });
      const operate = new JobOperateApi(stage().registry, clock);
      const api = new JobStatisticsApi(stage().registry);
      const runOnce = async () => {
        const { id } = await operate.trigger('import');
        await stage().until(() => [0, 1, 2, 3].every((item) => endOf(`/import/sharding/${item}/record`) === id));
      };
      const endOf = (path: string) => {
        const { target, settled } = JSON.parse(stage().data(path) || '{}');
        return settled && target.origin.slice('manual:'.length);
      };

      await runOnce();
      expect(await api.getJobBriefInfo('import')).toMatchObject({ status: 'OK', failedItemCount: 2 });
      expect(await api.getJobsBriefInfo('10.0.0.2')).toMatchObject([{ failedItemCount: undefined }]);

      faulty.delete(1);
      await runOnce();
      expect(await api.getAllJobsBriefInfo()).toMatchObject([{ jobName: 'import', failedItemCount: 1 }]);
    });

    it('reports why a config node cannot be read, and lists the other jobs', async () => {
      await stage().writeJava('bad', { config: 'cron: [' });
      await stage().writeJava('good');

      const [bad, good] = await new JobStatisticsApi(stage().registry).getAllJobsBriefInfo();

      expect(bad).toMatchObject({ jobName: 'bad', shardingTotalCount: 0, problem: expect.stringContaining('line 1') });
      expect(good).toMatchObject({ jobName: 'good', shardingTotalCount: 3, problem: undefined });
    });

    it('reports the jobs of a server with their state and its instances', async () => {
      await stage().writeJava('a', { instances: [INSTANCE, ['10.0.0.10@-@1', '10.0.0.10']], nodes: SERVED });
      await stage().writeJava('b', { nodes: { 'servers/10.0.0.1': 'DISABLED' } });
      await stage().writeJava('c', { nodes: { 'servers/10.0.0.10': 'ENABLED' } });

      expect(await new JobStatisticsApi(stage().registry).getJobsBriefInfo('10.0.0.1')).toMatchObject([
        { jobName: 'a', status: 'OK', instanceCount: 1 },
        { jobName: 'b', status: 'DISABLED', instanceCount: 0 },
      ]);
    });

    it('costs the promised requests', async () => {
      for (const jobName of ['a', 'b', 'c']) await stage().writeJava(jobName, { instances: [INSTANCE], nodes: SERVED });
      const { registry } = stage();
      const jobs = new JobStatisticsApi(registry);
      const servers = new ServerStatisticsApi(registry);

      expect(await costOf(registry, () => jobs.getJobsTotalCount())).toBe(2);
      expect(await costOf(registry, () => jobs.getJobBriefInfo('a'))).toBe(2);
      expect(await costOf(registry, () => jobs.getAllJobsBriefInfo())).toBe(3);
      expect(await costOf(registry, () => jobs.getJobsBriefInfo('10.0.0.1'))).toBe(3);
      expect(await costOf(registry, () => servers.getAllServersBriefInfo())).toBe(3);
    });

    it('finds no jobs and no servers in an empty namespace', async () => {
      const api = new JobStatisticsApi(stage().registry);
      expect(await api.getAllJobsBriefInfo()).toEqual([]);
      expect(await api.getJobBriefInfo('a')).toBeUndefined();
      expect(await api.getJobsBriefInfo('10.0.0.1')).toEqual([]);
      expect(await new ServerStatisticsApi(stage().registry).getAllServersBriefInfo()).toEqual([]);
    });
  });

  describe('ServerStatisticsApi', () => {
    const { stage } = useStage(adapter);

    it('reports each server of several jobs once, with its jobs and instances', async () => {
      const shared = ['10.0.0.1@-@2', '10.0.0.1'] as const;
      await stage().writeJava('a', { instances: [INSTANCE, shared], nodes: SERVED });
      await stage().writeJava('b', {
        instances: [shared],
        nodes: { 'servers/10.0.0.1': 'DISABLED', 'servers/10.0.0.2': 'ENABLED' },
      });
      const api = new ServerStatisticsApi(stage().registry);

      expect(await api.getAllServersBriefInfo()).toEqual([
        {
          serverIp: '10.0.0.1',
          instances: ['10.0.0.1@-@2', '10.0.0.1@-@1'],
          jobNames: ['a', 'b'],
          disabledJobNames: ['b'],
        },
        { serverIp: '10.0.0.2', instances: [], jobNames: ['b'], disabledJobNames: [] },
      ]);
      expect(await api.getServersTotalCount()).toBe(2);
    });
  });
}
