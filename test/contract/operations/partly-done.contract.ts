import { describe, expect, it, vi } from 'vitest';
import { formatRunRecord, passedRunRecord, PROTOCOL } from '../../../libs/elastic-job/src/domain/index.js';
import { JobConfigurationApi, JobOperateApi } from '../../../libs/elastic-job/src/operations/index.js';
import { type RegistryCenter, RegistryUnavailableError } from '../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { clock, Stage } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';
const CONFIG = `/${JOB}/config`;

/** @param step another client's writes before and after each transaction of the operator, by its number from 1 on */
function betweenTransactions(
  registry: RegistryCenter,
  step: { readonly before?: (nth: number) => Promise<unknown>; readonly after?: (nth: number) => Promise<unknown> },
) {
  const transaction = registry.transaction.bind(registry);
  let nth = 0;
  return vi.spyOn(registry, 'transaction').mockImplementation(async (...given) => {
    nth += 1;
    await step.before?.(nth);
    const result = await transaction(...given);
    await step.after?.(nth);
    return result;
  });
}

/** Commands of several steps, of which a later one fails: a part of them is done, and stays. */
export function describePartlyDone(adapter: RegistryAdapter): void {
  describe('a command that is done in part', () => {
    const { stage, harness } = useStage(adapter);
    const operate = () => new JobOperateApi(stage().registry, clock);
    const contention = { name: 'ContentionError', jobName: JOB };

    describe.each([
      ['disable', 'ENABLED', 'DISABLED'],
      ['enable', 'DISABLED', 'ENABLED'],
    ] as const)('%s', (command, before, wanted) => {
      const statusOf = (serverIp: string) => stage().value(`/${JOB}/servers/${serverIp}`);
      const writeJob = async () => {
        await stage().writeJava(JOB, { nodes: { 'servers/10.0.0.1': before } });
        if (before === 'DISABLED') await operate().disable(JOB);
        return (await stage().value(CONFIG))!;
      };

      it('says so if a server joins and others rewrite the settings, and the same call does the rest', async () => {
        const former = await writeJob();
        const other = await stage().client();
        const rewritten = () => other.set(CONFIG, former);
        const spied = betweenTransactions(stage().registry, {
          before: (nth) => (nth === 1 ? other.create(`/${JOB}/servers/10.0.0.7`, before, 'PERSISTENT') : rewritten()),
          after: async (nth) => nth === 1 && rewritten(),
        });

        await expect(operate()[command](JOB)).rejects.toMatchObject({
          name: 'PartlyDoneError',
          code: 'PARTLY_DONE',
          jobName: JOB,
          cause: contention,
          done: { servers: ['10.0.0.1'], newServers: 'switched', version: expect.any(Number) },
          message: expect.stringMatching(/^Job "settle-orders": .* is done in part; repeat the call to do the rest\. /),
        });

        spied.mockRestore();
        expect([await statusOf('10.0.0.1'), await statusOf('10.0.0.7')]).toEqual([wanted, before]);
        expect(await operate()[command](JOB)).toMatchObject({ servers: ['10.0.0.7'], newServers: 'switched' });
        expect(await statusOf('10.0.0.7')).toBe(wanted);
      });

      it('says so if the registry goes away before its second step, which has done nothing then', async () => {
        await writeJob();
        const away = new RegistryUnavailableError('children', 'not-applied', 'there is no connection');
        vi.spyOn(stage().registry, 'children').mockImplementation(async () => {
          if ((await statusOf('10.0.0.1')) === wanted) throw away;
          return ['10.0.0.1'];
        });

        await expect(operate()[command](JOB)).rejects.toMatchObject({ code: 'PARTLY_DONE', cause: away });
      });
    });

    it('is whole if the job is removed meanwhile, since nothing is left to switch', async () => {
      await stage().writeJava(JOB, { nodes: { 'servers/10.0.0.1': 'ENABLED' } });
      const other = await stage().client();
      betweenTransactions(stage().registry, {
        before: () => other.create(`/${JOB}/servers/10.0.0.7`, 'ENABLED', 'PERSISTENT'),
      });
      const readMany = stage().registry.readMany.bind(stage().registry);
      const isDisabled = () => stage().value(`/${JOB}/servers/10.0.0.1`);
      vi.spyOn(stage().registry, 'readMany').mockImplementation(async (...given) => {
        if ((await isDisabled()) === 'DISABLED') await new JobConfigurationApi(other).removeJobConfiguration(JOB);
        return readMany(...given);
      });

      expect(await operate().disable(JOB)).toMatchObject({ servers: ['10.0.0.1'], newServers: 'switched' });
    });

    it('is none if its first step fails', async () => {
      await stage().writeJava(JOB, { nodes: { 'servers/10.0.0.1': 'ENABLED' } });
      const other = await stage().client();
      const former = (await stage().value(CONFIG))!;
      betweenTransactions(stage().registry, { before: () => other.set(CONFIG, former) });

      await expect(operate().disable(JOB)).rejects.toMatchObject({ code: 'CONTENTION' });
    });

    it('keeps the error of a lost reply, after which nobody knows', async () => {
      await stage().writeJava(JOB, { nodes: { 'servers/10.0.0.1': 'ENABLED' } });
      const lost = new RegistryUnavailableError('children', 'unknown', 'the connection broke');
      vi.spyOn(stage().registry, 'children').mockImplementation(async () => {
        if ((await stage().value(`/${JOB}/servers/10.0.0.1`)) === 'DISABLED') throw lost;
        return ['10.0.0.1'];
      });

      await expect(operate().disable(JOB)).rejects.toBe(lost);
    });

    it('is a removal of a created job that is begun, and the same call completes it', async () => {
      await operate().create({ name: JOB, template: 'report', shardingTotalCount: 3 });
      await stage().registry.create(`/${JOB}/servers`, '', 'PERSISTENT');
      const other = await stage().client();
      const spied = betweenTransactions(stage().registry, {
        before: async (nth) => nth > 1 && other.create(`/${JOB}/servers/10.0.0.${nth}`, '', 'PERSISTENT'),
      });

      await expect(operate().remove(JOB)).rejects.toMatchObject({ code: 'PARTLY_DONE', cause: contention });

      spied.mockRestore();
      expect(await stage().value(`/${JOB}`)).toBe('nestjs.removed:report');
      await operate().remove(JOB);
      expect(await stage().names('/')).toEqual([]);
    });

    it('is a removal of which the first transactions are made, and the same call completes it', async () => {
      const small = await Stage.open(harness(), 4_000);
      const nodes = Object.fromEntries(Array.from({ length: 80 }, (_, item) => [`sharding/${item}/instance`, 'a@-@1']));
      await small.writeJava(JOB, { nodes, instances: [['a@-@1', 'a']] });
      const other = await small.client();
      const remove = () => new JobConfigurationApi(small.registry).removeJobConfiguration(JOB);
      const made = (nth: number) => other.create(`/${JOB}/made-${nth}`, '', 'PERSISTENT');
      const spied = betweenTransactions(small.registry, { before: async (nth) => nth > 1 && made(nth) });

      await expect(remove()).rejects.toMatchObject({ code: 'PARTLY_DONE', cause: contention });

      spied.mockRestore();
      expect(await small.names('/')).toEqual([JOB]);
      const left = await small.names(`/${JOB}`);
      expect(left).not.toContain('instances');
      expect(left).toContain('config');
      await remove();
      expect(await small.names('/')).toEqual([]);
    });

    it('is no removal of which no transaction is made', async () => {
      await stage().writeJava(JOB);
      const other = await stage().client();
      const made = (nth: number) => other.create(`/${JOB}/made-${nth}`, '', 'PERSISTENT');
      betweenTransactions(stage().registry, { before: made });

      const removal = new JobConfigurationApi(stage().registry).removeJobConfiguration(JOB);

      await expect(removal).rejects.toMatchObject({ code: 'CONTENTION' });
    });

    it('is a cancel of all runs of which some were asked to end, and the same call asks the others', async () => {
      const record = (item: number) => formatRunRecord(passedRunRecord(`run-${item}`, '10.0.0.1@-@1', 0, 0), PROTOCOL);
      const items = [0, 1].flatMap((item): [string, string][] => [
        [`sharding/${item}/running`, '10.0.0.1@-@1'],
        [`sharding/${item}/record`, record(item)],
      ]);
      await stage().writeJava(JOB, { nodes: Object.fromEntries(items) });
      const other = await stage().client();
      const spied = betweenTransactions(stage().registry, {
        before: async (nth) => nth > 1 && other.set(`/${JOB}/sharding/1/record`, record(1)),
      });
      const requested = (item: number) => ({ item, kind: 'requested', run: `run-${item}` });

      await expect(operate().cancelAll(JOB)).rejects.toMatchObject({
        code: 'PARTLY_DONE',
        cause: contention,
        done: [requested(0)],
      });

      spied.mockRestore();
      expect(await stage().names(`/${JOB}/cancel`)).toEqual(['0']);
      expect(await operate().cancelAll(JOB)).toMatchObject([requested(0), requested(1)]);
      expect(await stage().names(`/${JOB}/cancel`)).toEqual(['0', '1']);
    });
  });
}
