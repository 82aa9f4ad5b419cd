import { beforeEach, describe, expect, it, vi } from 'vitest';
import { untyped } from '@test/support/unit/no-settings.js';
import {
  JobConfigurationApi,
  JobOperateApi,
  type ServerScope,
} from '../../../libs/elastic-job/src/operations/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { clock, javaConfig, NEVER } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';
const OTHER = 'send-mails';
const ALL_ENABLED = { 'servers/10.0.0.1': 'ENABLED', 'servers/10.0.0.10': 'ENABLED' };

export function describeOperateApi(adapter: RegistryAdapter): void {
  describe('JobOperateApi', () => {
    const { stage } = useStage(adapter);
    let api: JobOperateApi;
    beforeEach(() => {
      api = new JobOperateApi(stage().registry, clock);
    });
    const status = (jobName: string, serverIp: string) => stage().value(`/${jobName}/servers/${serverIp}`);
    const statuses = async (jobName: string) => [await status(jobName, '10.0.0.1'), await status(jobName, '10.0.0.10')];

    const isDisabledForNew = async () => {
      const config = await new JobConfigurationApi(stage().registry).getJobConfiguration(JOB);
      return config?.disabled;
    };

    it('disables and enables all servers of a job and those to come, each time at 4 requests', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });
      const servers = ['10.0.0.10', '10.0.0.1'];
      const outcome = { newServers: 'switched', javaPeers: [] };
      let version = (await stage().registry.read(`/${JOB}/config`))!.stat.version;

      for (const [command, wanted] of [
        ['disable', 'DISABLED'],
        ['enable', 'ENABLED'],
      ] as const) {
        const cost = await costOf(stage().registry, async () =>
          expect(await api[command](JOB)).toEqual({ ...outcome, servers, version: (version += 1) }),
        );
        expect(cost).toBe(4);
        expect(await statuses(JOB)).toEqual([wanted, wanted]);
        expect(await isDisabledForNew()).toBe(command === 'disable');
        expect(await api[command](JOB)).toEqual({ servers: [], newServers: 'already', javaPeers: [] });
      }
    });

    it('leaves the settings to servers to come alone if new servers are left out, at 3 requests', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });
      const left = { newServers: 'left', javaPeers: [] };

      const cost = await costOf(stage().registry, async () =>
        expect(await api.disable(JOB, { newServers: false })).toEqual({ ...left, servers: ['10.0.0.10', '10.0.0.1'] }),
      );
      const one = await api.enable(JOB, { serverIp: '10.0.0.1' });

      expect(cost).toBe(3);
      expect(one).toEqual({ ...left, servers: ['10.0.0.1'] });
      expect(await stage().value(`/${JOB}/config`)).toBe(javaConfig(JOB));
    });

    it('switches servers and settings together, or neither: an edit in between is read again', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });
      const { registry } = stage();
      const other = await stage().client();
      const transaction = registry.transaction.bind(registry);
      const refused: string[] = [];
      const spied = vi.spyOn(registry, 'transaction').mockImplementation(async (...given) => {
        if (refused.length === 0) {
          await new JobConfigurationApi(other).updateJobConfiguration(JOB, { description: 'edited' });
        }
        const result = await transaction(...given);
        if (result.kind === 'refused') refused.push((await statuses(JOB)).join());
        return result;
      });

      await api.disable(JOB);

      spied.mockRestore();
      expect(refused).toEqual(['ENABLED,ENABLED']);
      expect(await statuses(JOB)).toEqual(['DISABLED', 'DISABLED']);
      expect(await new JobConfigurationApi(registry).getJobConfiguration(JOB)).toMatchObject({
        description: 'edited',
        disabled: true,
      });
    });

    it('switches a server that has come by the former settings meanwhile', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });
      const { registry } = stage();
      const other = await stage().client();
      const transaction = registry.transaction.bind(registry);
      const spied = vi.spyOn(registry, 'transaction').mockImplementationOnce(async (...given) => {
        await other.create(`/${JOB}/servers/10.0.0.7`, 'ENABLED', 'PERSISTENT');
        return transaction(...given);
      });

      const { servers } = await api.disable(JOB);

      spied.mockRestore();
      expect(servers).toEqual(['10.0.0.10', '10.0.0.1', '10.0.0.7']);
      expect(await status(JOB, '10.0.0.7')).toBe('DISABLED');
    });

    it.each(['cron: [', '{"jobName":"settle-orders","jobClass":"com.acme.Job","cron":"0 0 2 * * ?"}', `cron: '0 0 *'`])(
      'switches the servers alone where the settings cannot be read, and says so: %s',
      async (config) => {
        await stage().writeJava(JOB, { config, nodes: ALL_ENABLED });

        expect(await api.disable(JOB)).toMatchObject({ servers: ['10.0.0.10', '10.0.0.1'], newServers: 'unreadable' });

        expect(await statuses(JOB)).toEqual(['DISABLED', 'DISABLED']);
        expect(await stage().value(`/${JOB}/config`)).toBe(config);
      },
    );

    it('names the Java instances in the job, which may write their own disabled back', async () => {
      await stage().start('10.0.0.10', [{ name: JOB, shardingTotalCount: 2 }]);
      const java = 'jobInstanceId: 10.0.0.1@-@1\nserverIp: 10.0.0.1\n';
      await (await stage().client()).create(`/${JOB}/instances/10.0.0.1@-@1`, java, 'EPHEMERAL');

      expect(await api.disable(JOB)).toMatchObject({ newServers: 'switched', javaPeers: ['10.0.0.1@-@1'] });
    });

    it('switches a created job for servers to come, though only its template says how they start', async () => {
      await api.create({ name: JOB, template: 'tenant', cron: NEVER, shardingTotalCount: 1 });

      expect(await api.enable(JOB)).toMatchObject({ servers: [], newServers: 'switched' });
      expect(await stage().value(`/${JOB}/config`)).toContain('disabled: false');
      expect(await api.enable(JOB)).toMatchObject({ newServers: 'already' });
    });

    it('refuses new servers beside one address, and writes nothing', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });
      const scope = { serverIp: '10.0.0.1', newServers: true };

      await expect(api.disable(JOB, scope)).rejects.toThrow('newServers is for all servers');
      expect(await statuses(JOB)).toEqual(['ENABLED', 'ENABLED']);
    });

    it('disables one address only, even if another one begins with it', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });
      await api.disable(JOB, { serverIp: '10.0.0.1' });
      expect(await statuses(JOB)).toEqual(['DISABLED', 'ENABLED']);
    });

    // All servers of a job are stopped by a scope that is left out, not by an address that somebody failed to read.
    const inherited = untyped(Object.create({ serverIp: undefined }));
    it.each([{ serverIp: undefined }, { serverIp: null }, inherited, { serverIP: '10.0.0.1' }, '10.0.0.1', null])(
      'does nothing to any server for the scope %o',
      async (scope) => {
        await stage().writeJava(JOB, { nodes: ALL_ENABLED });
        for (const command of ['disable', 'enable', 'shutdown', 'remove'] as const) {
          await expect(api[command](JOB, untyped(scope))).rejects.toMatchObject({
            name: 'ConfigurationError',
            message: expect.stringContaining(`JobOperateApi.${command}`),
          });
        }
        expect(await statuses(JOB)).toEqual(['ENABLED', 'ENABLED']);
      },
    );

    it('disables a server in all its jobs, and in no other job', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });
      await stage().writeJava(OTHER, { nodes: { 'servers/10.0.0.1': 'ENABLED' } });
      await stage().writeJava('third', { nodes: { 'servers/10.0.0.2': 'ENABLED' } });

      expect(await api.disableServer('10.0.0.1')).toEqual([OTHER, JOB]);

      expect(await statuses(JOB)).toEqual(['DISABLED', 'ENABLED']);
      expect(await statuses(OTHER)).toEqual(['DISABLED', undefined]);
      expect(await status('third', '10.0.0.2')).toBe('ENABLED');
      expect(await api.enableServer('10.0.0.1')).toEqual([OTHER, JOB]);
      expect(await api.enableServer('10.0.0.1')).toEqual([]);
      expect(await statuses(OTHER)).toEqual(['ENABLED', undefined]);
    });

    it('switches a server in all of its jobs or in none, however many there are', async () => {
      const jobs = Array.from({ length: 501 }, (_, n) => `job-${n}`);
      const serverOf = (job: string) => `/${job}/servers/10.0.0.1`;
      await Promise.all(jobs.map((job) => stage().writeJava(job, { nodes: { 'servers/10.0.0.1': 'ENABLED' } })));
      const { registry } = stage();
      const commit = registry.transaction.bind(registry);
      const found = async () => new Set((await registry.readMany(jobs.map(serverOf))).map((node) => node?.data));
      let afterRefusal: unknown;
      // The server leaves one of the jobs right before the first attempt is written.
      vi.spyOn(registry, 'transaction').mockImplementationOnce(async (...given) => {
        await registry.delete(serverOf('job-500'));
        const result = await commit(...given);
        await registry.create(serverOf('job-500'), 'ENABLED', 'PERSISTENT');
        afterRefusal = await found();
        return result;
      });

      const switched = await api.disableServer('10.0.0.1');

      expect(afterRefusal).toEqual(new Set(['ENABLED']));
      expect(switched).toHaveLength(501);
      expect(await found()).toEqual(new Set(['DISABLED']));
    });

    it('does not write the node of a server that is disabled already', async () => {
      await stage().writeJava(JOB, { nodes: { 'servers/10.0.0.1': 'DISABLED' } });
      await api.disable(JOB);
      expect((await stage().registry.read(`/${JOB}/servers/10.0.0.1`))!.stat.version).toBe(0);
    });

    it('moves the items of a disabled server to the other instance', async () => {
      await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 2 });
      const second = await stage().startSharded('10.0.0.2', { name: JOB, shardingTotalCount: 2 });

      await api.disable(JOB, { serverIp: '10.0.0.1' });

      const ownedBy = (item: number) => stage().data(`/${JOB}/sharding/${item}/instance`)?.split('@-@')[0];
      await stage().until(() => [0, 1].every((item) => ownedBy(item) === '10.0.0.2'));
      expect(second.status().jobs[0]!.isJoined).toBe(true);
    });

    it('makes an instance leave for good when it is shut down, and the other gets its items', async () => {
      const first = await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 2 });
      await stage().startSharded('10.0.0.2', { name: JOB, shardingTotalCount: 2 });

      const gone = await api.shutdown(JOB, { serverIp: '10.0.0.1' });

      expect(gone.map((id) => id.split('@-@')[0])).toEqual(['10.0.0.1']);
      const ownedBy = (item: number) => stage().data(`/${JOB}/sharding/${item}/instance`)?.split('@-@')[0];
      await stage().until(() => [0, 1].every((item) => ownedBy(item) === '10.0.0.2'));
      await stage().until(() => !first.status().jobs.some((job) => job.isJoined));
      expect(await stage().names(`/${JOB}/instances`)).toHaveLength(1);
      expect(await stage().names(`/${JOB}/servers`)).toEqual(['10.0.0.1', '10.0.0.2']);
    });

    it("shuts down by the address in the instance's node, even if its id names another", async () => {
      await stage().writeJava(JOB, {
        instances: [
          ['10.0.0.1@-@1', '10.0.0.2'],
          ['10.0.0.10@-@1', '10.0.0.10'],
        ],
      });
      await expect(api.shutdown(JOB, { serverIp: '10.0.0.1' })).rejects.toMatchObject({ code: 'UNKNOWN_SERVER' });
      const cost = await costOf(stage().registry, async () => {
        expect(await api.shutdown(JOB, { serverIp: '10.0.0.2' })).toEqual(['10.0.0.1@-@1']);
      });
      expect(cost).toBe(3);
      expect(await stage().names(`/${JOB}/instances`)).toEqual(['10.0.0.10@-@1']);
    });

    it('does nothing for a server without instances that is shut down', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });
      expect(await api.shutdown(JOB, { serverIp: '10.0.0.1' })).toEqual([]);
      expect(await api.shutdown(JOB)).toEqual([]);
    });

    it('shuts down the instances of both jobs on a server', async () => {
      for (const jobName of [JOB, OTHER]) {
        await stage().writeJava(jobName, {
          instances: [
            ['10.0.0.1@-@1', '10.0.0.1'],
            ['10.0.0.2@-@1', '10.0.0.2'],
          ],
        });
      }
      expect(await costOf(stage().registry, () => api.shutdownServer('10.0.0.1'))).toBe(4);
      expect(await stage().names(`/${JOB}/instances`)).toEqual(['10.0.0.2@-@1']);
      expect(await stage().names(`/${OTHER}/instances`)).toEqual(['10.0.0.2@-@1']);
    });

    it.each([{}, { serverIp: '10.0.0.1' }])(
      'removes instances and servers by %j from a job, and keeps the rest',
      async (scope) => {
        const nodes = { ...ALL_ENABLED, 'sharding/0/instance': '10.0.0.1@-@1' };
        await stage().writeJava(JOB, { instances: [['10.0.0.1@-@1', '10.0.0.1']], nodes });

        expect(await costOf(stage().registry, () => api.remove(JOB, scope))).toBe(3);

        expect(await stage().names(`/${JOB}/instances`)).toEqual([]);
        expect(await stage().names(`/${JOB}/servers`)).toEqual(scope.serverIp === undefined ? [] : ['10.0.0.10']);
        expect(await stage().value(`/${JOB}/sharding/0/instance`)).toBe('10.0.0.1@-@1');
      },
    );

    it('removes a server from all jobs', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });
      await stage().writeJava(OTHER, { nodes: ALL_ENABLED });
      await api.removeServer('10.0.0.10');
      expect(await stage().names(`/${JOB}/servers`)).toEqual(['10.0.0.1']);
      expect(await stage().names(`/${OTHER}/servers`)).toEqual(['10.0.0.1']);
    });

    it('asks once for a new plan of a job without an instance, at 2 requests, and says if one is awaited', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });

      const cost = await costOf(stage().registry, async () =>
        expect(await api.reshard(JOB)).toEqual({ kind: 'requested' }),
      );

      expect(cost).toBe(2);
      expect(await api.reshard(JOB)).toEqual({ kind: 'pending' });
      expect(await stage().value(`/${JOB}/leader/sharding/necessary`)).toBe('');
      await expect(api.reshard(OTHER)).rejects.toMatchObject({ code: 'UNKNOWN_JOB', jobName: OTHER });
    });

    it('gives an item an owner again by a new plan', async () => {
      await stage().startSharded('10.0.0.1', { name: JOB, shardingTotalCount: 2 });
      await stage().registry.delete(`/${JOB}/sharding/1/instance`);

      expect(await api.reshard(JOB)).toEqual({ kind: 'requested' });

      await stage().until(() => stage().has(`/${JOB}/sharding/1/instance`));
    });

    it('names a missing job, server or instance, and creates nothing', async () => {
      await stage().writeJava(JOB, { nodes: ALL_ENABLED });
      const unknownJob = { code: 'UNKNOWN_JOB', jobName: OTHER };
      const unknownServer = { code: 'UNKNOWN_SERVER', serverIp: '10.0.0.7' };

      const onJob: readonly ((jobName: string, scope?: ServerScope) => Promise<unknown>)[] = [
        (...given) => api.disable(...given),
        (...given) => api.enable(...given),
        (...given) => api.shutdown(...given),
        (...given) => api.remove(...given),
      ];
      const onServer: readonly ((serverIp: string) => Promise<unknown>)[] = [
        (serverIp) => api.disableServer(serverIp),
        (serverIp) => api.enableServer(serverIp),
        (serverIp) => api.shutdownServer(serverIp),
        (serverIp) => api.removeServer(serverIp),
      ];

      await expect(api.dump(OTHER)).rejects.toMatchObject(unknownJob);
      for (const command of onJob) {
        await expect(command(OTHER)).rejects.toMatchObject(unknownJob);
        await expect(command(JOB, { serverIp: '10.0.0.7' })).rejects.toMatchObject(unknownServer);
      }
      for (const command of onServer) await expect(command('10.0.0.7')).rejects.toMatchObject(unknownServer);
      expect(await stage().names('/')).toEqual([JOB]);
      expect(await stage().names(`/${JOB}/servers`)).toEqual(['10.0.0.1', '10.0.0.10']);
    });

    it('refuses names that no node can have, without a request', async () => {
      const invalid = { code: 'INVALID_ARGUMENT' };
      const cost = await costOf(stage().registry, async () => {
        for (const name of ['', '..', 'a/b', 'a@-@b', 'a(b']) {
          await expect(api.disable(name)).rejects.toMatchObject({ ...invalid, argument: 'jobName', value: name });
          await expect(api.trigger(name)).rejects.toMatchObject(invalid);
          await expect(api.dump(name)).rejects.toMatchObject(invalid);
          await expect(api.removeServer(name)).rejects.toMatchObject({ ...invalid, argument: 'serverIp' });
        }
      });
      expect(cost).toBe(0);
    });
  });
}
