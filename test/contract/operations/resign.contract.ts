import { beforeEach, describe, expect, it, vi } from 'vitest';
import { JobOperateApi } from '../../../libs/elastic-job/src/operations/index.js';
import type { RegistryCenter, TransactionResult } from '../../../libs/elastic-job/src/registry/index.js';
import type { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { clock } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';
const LEADER = `/${JOB}/leader/election/instance`;
const TERM = `/${JOB}/leader/election/term`;
const staged = { name: JOB, shardingTotalCount: 2 };

export function describeResign(adapter: RegistryAdapter): void {
  describe('the resignation of a leader', () => {
    const { stage } = useStage(adapter);
    let api: JobOperateApi;
    beforeEach(() => {
      api = new JobOperateApi(stage().registry, clock);
    });

    it('brings another instance to lead, with the items where they were, at 2 requests', async () => {
      const first = await stage().startSharded('10.0.0.1', staged);
      const second = await stage().start('10.0.0.2', [staged]);
      const ownerOf = (item: number) => stage().data(`/${JOB}/sharding/${item}/instance`);
      await stage().until(() => new Set([ownerOf(0), ownerOf(1)]).size === 2);
      const owners = [ownerOf(0), ownerOf(1)];
      const term = (await stage().registry.read(TERM))!.stat.version;

      const cost = await costOf(stage().registry, async () =>
        expect(await api.resign(JOB)).toEqual({ kind: 'resigned', instanceId: idOf(first) }),
      );

      expect(cost).toBe(2);
      await stage().until(() => stage().data(LEADER) === idOf(second));
      expect((await stage().registry.read(TERM))!.stat.version).toBe(term + 1);
      expect([ownerOf(0), ownerOf(1)]).toEqual(owners);
    });

    it('has the plan refused that the leader has made before and not written yet', async () => {
      const first = await stage().startSharded('10.0.0.1', staged);
      const { registry } = first.registrar.of(JOB).currentSession!.tree;
      const answer = answerToPlan(registry, async () => {
        expect(await api.resign(JOB)).toEqual({ kind: 'resigned', instanceId: idOf(first) });
      });

      const second = await stage().start('10.0.0.2', [staged]);

      // By the leader's node if nobody leads yet, else by the term of the successor.
      expect(await answer).toMatchObject({ kind: 'refused', path: expect.stringContaining('/leader/election/') });
      await stage().until(() => stage().data(LEADER) === idOf(second));
      const ownerOf = (item: number) => stage().data(`/${JOB}/sharding/${item}/instance`);
      await stage().until(() => new Set([ownerOf(0), ownerOf(1)]).size === 2);
    });

    it('leaves the successor alone that was elected in between', async () => {
      await stage().writeJava(JOB, { nodes: { 'leader/election/term': '' } });
      const { registry } = stage();
      const other = await stage().client();
      await other.create(LEADER, '10.0.0.1@-@1', 'EPHEMERAL');
      vi.spyOn(registry, 'transaction').mockImplementationOnce(async () => {
        await other.delete(LEADER);
        await other.create(LEADER, '10.0.0.2@-@1', 'EPHEMERAL');
        await other.set(TERM, '');
        return { kind: 'refused', index: 1, path: TERM, refusal: 'BAD_VERSION' };
      });

      expect(await api.resign(JOB)).toEqual({ kind: 'resigned', instanceId: '10.0.0.1@-@1' });

      expect(await stage().value(LEADER)).toBe('10.0.0.2@-@1');
    });

    it('takes leadership from a Java instance of a job that has none of ours', async () => {
      await stage().writeJava(JOB, { nodes: { 'leader/election': '' } });
      await (await stage().client()).create(LEADER, '10.0.0.7@-@17', 'EPHEMERAL');

      expect(await api.resign(JOB)).toEqual({ kind: 'resigned', instanceId: '10.0.0.7@-@17' });
      expect(await api.resign(JOB)).toEqual({ kind: 'no-leader' });

      expect(await stage().value(LEADER)).toBeUndefined();
    });

    it('names the unknown job', async () => {
      await expect(api.resign('other')).rejects.toMatchObject({ code: 'UNKNOWN_JOB', jobName: 'other' });
    });
  });
}

function idOf(runtime: ElasticJobRuntime): string {
  return runtime.registrar.of(JOB).currentSession!.tree.self.jobInstanceId;
}

/** Acts right before a leader writes its next plan, and resolves with the answer to that. */
function answerToPlan(registry: RegistryCenter, before: () => Promise<void>): Promise<TransactionResult> {
  const transaction = registry.transaction.bind(registry);
  return new Promise((resolve) => {
    let isMet = false;
    vi.spyOn(registry, 'transaction').mockImplementation(async (operations, options) => {
      const isLeaders = operations.some(({ kind, path }) => kind === 'check' && path === TERM);
      const isPlan = isLeaders && operations.some(({ kind, path }) => kind === 'set' && path.endsWith('/instance'));
      if (!isPlan || isMet) return transaction(operations, options);
      isMet = true;
      await before();
      // Without the signal of the term, as if the request were on its way already.
      const answer = await transaction(operations);
      resolve(answer);
      return answer;
    });
  });
}
