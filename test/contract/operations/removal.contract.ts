import { describe, expect, it } from 'vitest';
import { UnknownJobError } from '../../../libs/elastic-job/src/domain/index.js';
import { JobConfigurationApi, JobOperateApi } from '../../../libs/elastic-job/src/operations/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { clock, javaConfig, Stage } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';

export function describeRemoval(adapter: RegistryAdapter): void {
  describe('a job as a whole', () => {
    const { stage, harness } = useStage(adapter);

    it('leaves nothing when it is removed while it runs, and its instances leave it (fault 21)', async () => {
      const first = await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 2 });
      const second = await stage().startSharded('10.0.0.2', { name: JOB, shardingTotalCount: 2 });

      await new JobConfigurationApi(stage().registry).removeJobConfiguration(JOB);

      for (const runtime of [first, second]) {
        await stage().until(() => !runtime.status().jobs.some((job) => job.isJoined));
      }
      expect(await stage().names('/')).toEqual([]);
    });

    it('is removed in several requests if it is too large for one, instances first and settings last', async () => {
      const small = await Stage.open(harness(), 4_000);
      const nodes = Object.fromEntries(Array.from({ length: 20 }, (_, item) => [`sharding/${item}/instance`, 'a@-@1']));
      await small.writeJava(JOB, { nodes, instances: [['a@-@1', 'a']] });
      const gone: string[] = [];
      const watcher = await (
        await small.client()
      ).openSubtree('/', ({ kind, ...event }) => {
        if (kind === 'deleted' && 'path' in event) gone.push(event.path);
      });

      const cost = await costOf(small.registry, () =>
        new JobConfigurationApi(small.registry).removeJobConfiguration(JOB),
      );
      await watcher.sync();

      expect(cost).toBeGreaterThan(1);
      expect(await small.names('/')).toEqual([]);
      expect(gone[0]).toBe(`/${JOB}/instances/a@-@1`);
      expect(gone.slice(-2)).toEqual([`/${JOB}/config`, `/${JOB}`]);
      watcher.close();
    });

    it('is removed once by two operators, and both get an answer', async () => {
      await stage().writeJava(JOB, { nodes: { 'sharding/0/instance': 'a' } });
      const clients = [stage().registry, await stage().client()];

      const answers = await Promise.allSettled(
        clients.map((client) => new JobConfigurationApi(client).removeJobConfiguration(JOB)),
      );

      expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
      const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
      expect(refused.filter((error) => !(error instanceof UnknownJobError))).toEqual([]);
      expect(await stage().names('/')).toEqual([]);
    });

    it('is named in the error if it does not exist', async () => {
      const removal = new JobConfigurationApi(stage().registry).removeJobConfiguration(JOB);
      await expect(removal).rejects.toMatchObject({ code: 'UNKNOWN_JOB', jobName: JOB });
    });

    it("is dumped in Java's format, with addresses hidden unless they are requested", async () => {
      await stage().writeJava(JOB, {
        instances: [
          ['10.0.0.9@-@1', '10.0.0.9'],
          ['10.0.0.10@-@1', '10.0.0.10'],
        ],
        nodes: { 'servers/10.0.0.9': 'ENABLED', 'sharding/10': '', 'sharding/2/instance': '10.0.0.9@-@1' },
      });
      const api = new JobOperateApi(stage().registry, clock);

      const open = await api.dump(JOB, { hideAddresses: false });

      expect(open).toBe(
        `/settle-orders/sharding | 
/settle-orders/sharding/2 | 
/settle-orders/sharding/2/instance | 10.0.0.9@-@1
/settle-orders/sharding/10 | 
/settle-orders/servers | 
/settle-orders/servers/10.0.0.9 | ENABLED
/settle-orders/instances | 
/settle-orders/instances/10.0.0.9@-@1 | jobInstanceId: 10.0.0.9@-@1
serverIp: 10.0.0.9

/settle-orders/instances/10.0.0.10@-@1 | jobInstanceId: 10.0.0.10@-@1
serverIp: 10.0.0.10

/settle-orders/config | ${javaConfig(JOB)}
`,
      );
      expect(await api.dump(JOB)).toBe(open.replaceAll('10.0.0.10', 'ip2').replaceAll('10.0.0.9', 'ip1'));
    });

    it('keeps receiving changes in a process that dumps it over its own connection', async () => {
      const runtime = await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 2 });
      const own = runtime.registrar.of(JOB).currentSession!.tree.registry;

      const dump = await new JobOperateApi(own, clock).dump(JOB);
      await new JobConfigurationApi(stage().registry).updateJobConfiguration(JOB, { jobParameter: 'news' });
      await stage().until(() => runtime.configurations.current(JOB).jobParameter === 'news');

      expect(dump).toContain(`/${JOB}/servers/ip1 | ENABLED`);
    });
  });
}
