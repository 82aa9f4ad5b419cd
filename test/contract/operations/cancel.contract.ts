import { beforeEach, describe, expect, it } from 'vitest';
import { formatRunningTask, parseRunRecord, type ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi } from '../../../libs/elastic-job/src/operations/index.js';
import type { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { fireTimes } from '@test/support/fire-times.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { clock } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';
const nextFireTime = fireTimes(clock);

export function describeCancel(adapter: RegistryAdapter): void {
  describe('JobOperateApi.cancel', () => {
    const { stage } = useStage(adapter);
    let api: JobOperateApi;
    let started: ShardingContext[];
    let onStarted: () => void;
    let settled: Extract<JobEvent, { kind: 'settled' }>[];
    beforeEach(() => {
      api = new JobOperateApi(stage().registry, clock);
      started = [];
      onStarted = () => {};
      settled = [];
    });

    /** Resolves when the handlers of both items have started. Fails if a tick begins nothing. */
    const runAll = async (runtime: ElasticJobRuntime) => {
      const all = started.length + 2;
      const bothStarted = new Promise<void>((resolve) => {
        onStarted = () => void (started.length === all && resolve());
      });
      const ended = runtime.registrar.of(JOB).currentSession!.tick(nextFireTime());
      await Promise.race([bothStarted, ended.then(() => expect(started).toHaveLength(all))]);
    };

    /** A process whose handlers run until they are aborted. */
    const startRunning = async (options: { failover?: boolean; monitorExecution?: boolean } = {}) => {
      const handler = (context: ShardingContext) => {
        started.push(context);
        onStarted();
        return aborted(context.signal);
      };
      const runtime = await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 2, handler, ...options });
      runtime.events.on((event) => void (event.kind === 'settled' && settled.push(event)));
      await runAll(runtime);
      return runtime;
    };

    it('aborts one item alone, which runs nowhere else, and leaves nothing', async () => {
      await startRunning({ failover: true });

      const outcome = await api.cancel(JOB, 1);

      expect(outcome).toMatchObject({ kind: 'requested', instanceId: started[1]!.taskId.split('READY@-@')[1] });
      await stage().until(() => settled.length > 0);
      expect(settled).toMatchObject([
        { item: 1, outcome: { kind: 'aborted', reason: { code: 'CANCELLED', item: 1 } } },
      ]);
      expect(() => started[1]!.assertHeld()).toThrow('Item 1');
      started[0]!.assertHeld();
      expect(await stage().names(`/${JOB}/cancel`)).toEqual([]);
      expect(await stage().names(`/${JOB}/leader/failover/items`)).toEqual([]);
      expect(await stage().names(`/${JOB}/sharding/1`)).toEqual(['instance', 'record']);
    });

    it('confirms no loss of a run without a task, or whose task can be reached, and changes nothing', async () => {
      await startRunning();
      const stored = parseRunRecord((await stage().value(`/${JOB}/sharding/0/record`))!);
      const run = stored.kind === 'record' ? stored.record.run : '';
      const confirm = () => api.confirmLost(JOB, 0);

      expect(await confirm()).toEqual({ kind: 'not-lost', state: undefined });
      const task = { id: 't', backend: 'pods', run, launch: 1, source: 'NORMAL_TRIGGER', since: 0 } as const;
      await stage().registry.create(
        `/${JOB}/sharding/0/task`,
        formatRunningTask({ ...task, state: 'RUNNING' }),
        'PERSISTENT',
      );
      expect(await confirm()).toEqual({ kind: 'not-lost', state: 'RUNNING' });
      expect(await stage().names(`/${JOB}/cancel`)).toEqual([]);
      started.forEach((context) => context.assertHeld());
    });

    it('names what there is to confirm no loss of: no run, no item, no job', async () => {
      await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 2 });

      expect(await api.confirmLost(JOB, 0)).toEqual({ kind: 'not-running' });
      await expect(api.confirmLost(JOB, 2)).rejects.toMatchObject({ code: 'UNKNOWN_ITEM', items: [0, 1] });
      await expect(api.confirmLost('other', 0)).rejects.toMatchObject({ code: 'UNKNOWN_JOB' });
      await expect(api.confirmLost(JOB, -1)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    });

    it('costs 2 requests', async () => {
      await startRunning();
      const first = await api.cancel(JOB, 0);
      await stage().until(() => settled.length > 0);

      const cost = await costOf(stage().registry, () => api.cancel(JOB, 1));

      expect(cost).toBe(2);
      expect(first.kind).toBe('requested');
    });

    it('aborts all running items of a job, and none runs elsewhere', async () => {
      await startRunning({ failover: true });

      const outcomes = await api.cancelAll(JOB);

      const run = expect.any(String);
      const requested = { kind: 'requested', run, instanceId: expect.any(String) };
      expect(JSON.parse(JSON.stringify(outcomes))).toEqual([
        { item: 0, ...requested },
        { item: 1, ...requested },
      ]);
      await stage().until(() => settled.length === 2);
      expect(settled.map(({ outcome }) => outcome.kind)).toEqual(['aborted', 'aborted']);
      expect(await stage().names(`/${JOB}/leader/failover/items`)).toEqual([]);
      expect(await api.cancelAll(JOB)).toEqual([]);
    });

    it('cancels all of nothing: only marked items are in the answer, and nothing is written', async () => {
      await stage().writeJava(JOB, {
        nodes: { 'sharding/0': '', 'sharding/1': '', 'sharding/1/running': '10.0.0.9@-@1' },
      });

      expect(await api.cancelAll(JOB)).toEqual([{ item: 1, kind: 'not-ours', instanceId: '10.0.0.9@-@1' }]);
      await expect(api.cancelAll('send-mails')).rejects.toMatchObject({ code: 'UNKNOWN_JOB' });
      await expect(api.cancelAll('a/b')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(stage().has(`/${JOB}/cancel`)).toBe(false);
    });

    it('lets an item run to its end at its next trigger after a cancel', async () => {
      const runtime = await startRunning();
      await api.cancel(JOB, 0);
      await api.cancel(JOB, 1);
      await stage().until(() => settled.length === 2);

      await runAll(runtime);

      expect(started).toHaveLength(4);
      expect(started.slice(2).every(({ signal }) => !signal.aborted)).toBe(true);
    });

    it('ignores a request for an earlier run, and cancels the present one', async () => {
      await startRunning();
      await stage().registry.ensurePath(`/${JOB}/cancel`);
      await stage().registry.create(`/${JOB}/cancel/0`, 'a run of yesterday', 'PERSISTENT');

      await api.cancel(JOB, 1);
      await stage().until(() => settled.length === 1);
      expect(started[0]!.signal.aborted).toBe(false);
      await api.cancel(JOB, 0);
      await stage().until(() => settled.length === 2);

      expect(await stage().names(`/${JOB}/cancel`)).toEqual([]);
    });

    it('has the leader remove a request that came after the end of its run', async () => {
      await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 2 });

      await stage().registry.ensurePath(`/${JOB}/cancel`);
      await stage().registry.create(`/${JOB}/cancel/0`, 'a run of yesterday', 'PERSISTENT');

      await expect.poll(() => stage().names(`/${JOB}/cancel`)).toEqual([]);
    });

    it('answers why an item cannot be cancelled, and writes nothing', async () => {
      await stage().writeJava(JOB, {
        nodes: { 'sharding/0': '', 'sharding/1': '', 'sharding/1/running': '10.0.0.9@-@1' },
      });

      expect(await api.cancel(JOB, 0)).toEqual({ kind: 'not-running' });
      expect(await api.cancel(JOB, 1)).toEqual({ kind: 'not-ours', instanceId: '10.0.0.9@-@1' });
      await expect(api.cancel(JOB, 7)).rejects.toMatchObject({ code: 'UNKNOWN_ITEM', items: [0, 1] });
      await expect(api.cancel('send-mails', 0)).rejects.toMatchObject({ code: 'UNKNOWN_JOB' });
      await expect(api.cancel(JOB, -1)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(stage().has(`/${JOB}/cancel`)).toBe(false);
    });

    it('answers that runs are not recorded if the job has no monitorExecution', async () => {
      const runtime = await startRunning({ monitorExecution: false });

      expect(await api.cancel(JOB, 0)).toEqual({ kind: 'unmonitored' });

      runtime.registrar.of(JOB).running.abort(new Error('the test is over'));
    });
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
