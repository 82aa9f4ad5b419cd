import { describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import {
  type ShardingInfo,
  ShardingOperateApi,
  ShardingStatisticsApi,
} from '../../../libs/elastic-job/src/operations/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { clock } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';

export function describeShardingApis(adapter: RegistryAdapter): void {
  describe('ShardingOperateApi', () => {
    const { stage } = useStage(adapter);
    const isDisabled = async (item: number) =>
      (await stage().registry.exists(`/${JOB}/sharding/${item}/disabled`)) !== undefined;

    it('adds and removes the mark of a disabled item, each at one request, also if repeated', async () => {
      await stage().writeJava(JOB, { nodes: { 'sharding/0/instance': 'a', 'sharding/1/instance': 'a' } });
      const api = new ShardingOperateApi(stage().registry);

      for (const [after, command] of [
        [true, () => api.disable(JOB, 1)],
        [false, () => api.enable(JOB, 1)],
      ] as const) {
        for (const isSwitched of [true, false]) {
          const cost = await costOf(stage().registry, async () => expect(await command()).toBe(isSwitched));
          expect(cost).toBe(1);
          expect(await isDisabled(1)).toBe(after);
        }
      }
      expect(await isDisabled(0)).toBe(false);
    });

    it('leaves a disabled item out of a run', async () => {
      const ran: number[] = [];
      const handler = ({ shardingItem }: ShardingContext) => void ran.push(shardingItem);
      const runtime = await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 3, handler });

      await new ShardingOperateApi(stage().registry).disable(JOB, 1);
      await runtime.registrar.of(JOB).currentSession!.tick(clock.wallNow());

      expect(new Set(ran)).toEqual(new Set([0, 2]));
    });

    it('names the unknown job, item or number, and creates nothing', async () => {
      await stage().writeJava(JOB, { nodes: { 'sharding/0': '', 'sharding/1': '', 'sharding/4': '' } });
      const api = new ShardingOperateApi(stage().registry);

      const commands: readonly ShardingOperateApi['disable'][] = [
        (...given) => api.disable(...given),
        (...given) => api.enable(...given),
      ];
      for (const command of commands) {
        const unknown = command(JOB, 3);
        await expect(unknown).rejects.toMatchObject({ code: 'UNKNOWN_ITEM', item: 3, items: [0, 1, 4] });
        await expect(unknown).rejects.toThrow('It has the items 0 to 1, 4.');
        await expect(command('other', 0)).rejects.toMatchObject({ code: 'UNKNOWN_JOB' });
        for (const item of [-1, 0.5, Number.NaN]) {
          await expect(command(JOB, item)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', value: item });
        }
      }
      expect(await stage().names(`/${JOB}/sharding`)).toEqual(['0', '1', '4']);
    });
  });

  describe('ShardingStatisticsApi', () => {
    const { stage } = useStage(adapter);
    const infos = () => new ShardingStatisticsApi(stage().registry).getShardingInfo(JOB);

    it("reports each item's state, even if its owner is gone, at 4 requests (fault 21)", async () => {
      await stage().writeJava(JOB, {
        instances: [['10.0.0.1@-@1', '10.0.0.1']],
        nodes: {
          'sharding/0/instance': '10.0.0.1@-@1',
          'sharding/1/instance': '10.0.0.1@-@1',
          'sharding/1/running': '10.0.0.1@-@1',
          'sharding/1/disabled': '',
          'sharding/2/instance': '10.0.0.1@-@1',
          'sharding/2/running': '10.0.0.1@-@1',
          'sharding/2/misfire': '',
          'sharding/3/instance': '10.0.0.7@-@9',
          'leader/failover/items/3': '',
          'sharding/10/instance': '10.0.0.7@-@9',
          'sharding/10/running': '10.0.0.1@-@1',
          'sharding/10/failover': '10.0.0.1@-@1',
          'sharding/11': '',
        },
      });
      let found: readonly ShardingInfo[] = [];

      const cost = await costOf(stage().registry, async () => {
        found = await infos();
      });

      expect(cost).toBe(3);
      expect(found.map(({ item, status, serverIp }) => [item, status, serverIp])).toEqual([
        [0, 'PENDING', '10.0.0.1'],
        [1, 'DISABLED', '10.0.0.1'],
        [2, 'RUNNING', '10.0.0.1'],
        [3, 'SHARDING_FLAG', '10.0.0.7'],
        [10, 'RUNNING', '10.0.0.7'],
        [11, 'SHARDING_FLAG', undefined],
      ]);
      expect(found.filter(({ isRunning }) => isRunning).map(({ item }) => item)).toEqual([1, 2, 10]);
      expect(found.filter(({ isQueued }) => isQueued).map(({ item }) => item)).toEqual([3]);
      expect(found.filter(({ isMisfired }) => isMisfired).map(({ item }) => item)).toEqual([2]);
      expect(found.filter(({ failover }) => failover)).toMatchObject([{ item: 10, holder: '10.0.0.1@-@1' }]);
      expect(found.every(({ lastRun }) => lastRun === undefined)).toBe(true);
      expect(found).toSatisfy(Object.isFrozen);
      expect(found[0]).toSatisfy(Object.isFrozen);
    });

    it('reports the record of a run while it runs, with its token, and afterwards', async () => {
      let end!: () => void;
      const ending = new Promise<void>((resolve) => (end = resolve));
      const contexts: ShardingContext[] = [];
      const handler = (context: ShardingContext) => {
        contexts.push(context);
        return ending;
      };
      const runtime = await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 1, handler });
      const instanceId = runtime.registrar.of(JOB).currentSession!.tree.self.jobInstanceId;
      const fireTime = clock.wallNow();

      const tick = runtime.registrar.of(JOB).currentSession!.tick(fireTime);
      await stage().until(() => stage().has(`/${JOB}/sharding/0/running`));
      const during = (await infos())[0]!;
      end();
      await tick;
      const after = (await infos())[0]!;

      const run = { instanceId, fireTime, origin: 'schedule', attempt: 1, begunAt: expect.any(Number) };
      expect(during).toMatchObject({ status: 'RUNNING', holder: instanceId, lastRun: { ...run, outcome: undefined } });
      expect(during.lastRun!.token).toBe(contexts[0]!.token);
      expect(after).toMatchObject({ status: 'PENDING', holder: undefined, lastRun: { ...run, outcome: 'succeeded' } });
      expect(after.lastRun).toMatchObject({ token: undefined, settledAt: expect.any(Number) });
    });

    it('finds no items of a job that does not exist', async () => {
      expect(await infos()).toEqual([]);
    });
  });
}
