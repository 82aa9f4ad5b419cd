import { describe, expect, it } from 'vitest';
import { CloudTakeover, LiveCloudSchedulerError } from '../../../libs/elastic-job/src/cloud/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { CLOUD_JOB } from '@test/support/unit/cloud-job.js';
import { APP, type CloudStage, useCloudStage } from './stage.js';

export function describeTakeover(adapter: RegistryAdapter): void {
  describe('the takeover of a namespace', () => {
    const stage = useCloudStage(adapter);

    it('turns what schedulers have left into debts of each job, and leaves nothing of it', async () => {
      await leave(stage());
      const takeover = new CloudTakeover(stage().registry);

      const events = await takeover.run();

      expect(events).toEqual([
        { kind: 'dropped', jobName: 'daemon', what: 'ready', found: ['1'], because: 'daemon' },
        { kind: 'dropped', jobName: 'daemon', what: 'running', found: ['daemon@-@0'], because: 'daemon' },
        { kind: 'dropped', jobName: 'gone', what: 'ready', found: ['2'], because: 'unknown-job' },
        { kind: 'runs-owed', jobName: 'settle', runs: 3 },
        { kind: 'items-queued', jobName: 'settle', items: [0, 2] },
        { kind: 'dropped', jobName: 'settle', what: 'failover', found: ['settle@-@7'], because: 'unreadable' },
        { kind: 'disable-kept', of: 'job', name: 'daemon' },
      ]);
      expect(await takeover.pending()).toEqual([{ jobName: 'settle', id: expect.any(String), runs: 3, items: [0, 2] }]);
      expect((await stage().registry.children('/state')).toSorted()).toEqual(['disable', 'takeover']);
      expect(await stage().data('/state/disable/job/daemon')).toBe('daemon');
    });

    it('takes nothing twice if it is repeated, and forgets what was handed on', async () => {
      await leave(stage());
      const takeover = new CloudTakeover(stage().registry);
      await takeover.run();
      const [handover] = await takeover.pending();

      expect(await takeover.run()).toEqual([]);
      await stage().write({ '/state/ready/settle': '2', '/state/failover/settle/settle@-@1': 'x' });
      await takeover.run();

      expect(await takeover.settle(handover!)).toBe(false);
      const [more] = await takeover.pending();
      expect(more).toMatchObject({ runs: 5, items: [0, 1, 2] });
      expect([await takeover.settle(more!), await takeover.settle(more!)]).toEqual([true, true]);
      expect(await takeover.pending()).toEqual([]);
    });

    it('has one of three schedulers take each job', async () => {
      await leave(stage());
      const clients = await Promise.all([1, 2, 3].map(() => stage().client()));

      const told = await Promise.all(clients.map((client) => new CloudTakeover(client).run()));

      const owed = told.flat().filter(({ kind }) => kind === 'runs-owed');
      expect(owed).toEqual([{ kind: 'runs-owed', jobName: 'settle', runs: 3 }]);
      expect(await new CloudTakeover(stage().registry).pending()).toMatchObject([{ runs: 3, items: [0, 2] }]);
    });

    it.each([1, 2, 3, 4, 5])(
      'gives the same debts if a scheduler dies after its transaction %d and another repeats it',
      async (count) => {
        await leave(stage());

        await expect(new CloudTakeover(dyingAfter(stage().registry, count)).run()).rejects.toThrow('dead');
        await new CloudTakeover(stage().registry).run();

        expect(await new CloudTakeover(stage().registry).pending()).toMatchObject([{ runs: 3, items: [0, 2] }]);
        expect((await stage().registry.children('/state')).toSorted()).toEqual(['disable', 'takeover']);
      },
    );

    it('is refused while a scheduler stands for election', async () => {
      await leave(stage());
      const java = await stage().client();
      await java.ensurePath('/ha/election');
      await java.create('/ha/election/_c_1-lock-', '10.0.0.1', 'EPHEMERAL_SEQUENTIAL');
      const takeover = new CloudTakeover(stage().registry);

      await expect(takeover.run()).rejects.toThrow(LiveCloudSchedulerError);
      await expect(takeover.run()).rejects.toThrow('(10.0.0.1)');
      expect(await stage().data('/state/ready/settle')).toBe('3');
      await java.close();
      expect(await takeover.run()).toContainEqual({ kind: 'runs-owed', jobName: 'settle', runs: 3 });
    });

    it('leaves the state of a job that cannot be read until it can', async () => {
      await leave(stage());
      const text = (await stage().data('/config/job/settle'))!;
      await stage().write({ '/config/job/settle': text.replace('0.5', 'many') });
      const takeover = new CloudTakeover(stage().registry);

      expect(await takeover.run()).toContainEqual({
        kind: 'left',
        jobName: 'settle',
        problems: [expect.stringContaining('cpuCount')],
      });
      expect(await stage().data('/state/ready/settle')).toBe('3');
      await stage().write({ '/config/job/settle': text });
      expect(await takeover.run()).toContainEqual({ kind: 'runs-owed', jobName: 'settle', runs: 3 });
    });
  });
}

/** The registry of a process that dies after `count` of its transactions are applied. */
function dyingAfter(registry: RegistryCenter, count: number): RegistryCenter {
  let left = count;
  const transaction: RegistryCenter['transaction'] = async (operations) => {
    const result = await registry.transaction(operations);
    left -= 1;
    if (left <= 0) throw new Error('dead');
    return result;
  };
  return new Proxy(registry, {
    get(target, name) {
      if (name === 'transaction') return transaction;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Leaves a namespace as schedulers of ElasticJob-Cloud do when they are stopped. */
async function leave(stage: CloudStage): Promise<void> {
  const { apps, jobs } = stage.configurations;
  await apps.add(APP);
  await jobs.add({ ...CLOUD_JOB, misfire: true, failover: true });
  await jobs.add({ ...CLOUD_JOB, jobName: 'daemon', jobExecutionType: 'DAEMON' });
  await jobs.disable('daemon');
  const task = (job: string, item: number) => `${job}@-@${item}@-@READY@-@4da72be3-S2@-@8f2a5bb5`;
  await stage.write({
    '/state/ready/settle': '3',
    '/state/ready/daemon': '1',
    '/state/ready/gone': '2',
    '/state/failover/settle/settle@-@2': task('settle', 2),
    '/state/failover/settle/settle@-@0': task('settle', 0),
    '/state/failover/settle/settle@-@7': task('settle', 7),
    '/state/running/daemon/daemon@-@0': task('daemon', 0),
  });
}
