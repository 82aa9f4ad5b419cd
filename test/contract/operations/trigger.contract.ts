import { describe, expect, it } from 'vitest';
import { parseTriggerRequest } from '../../../libs/elastic-job/src/coordination/index.js';
import { JobOperateApi, type TriggerReceipt } from '../../../libs/elastic-job/src/operations/index.js';
import { RequestTooLargeError } from '../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { costOf } from '../registry/support.js';
import { clock, javaConfig } from './stage.js';
import { useStage } from './support.js';

const JOB = 'settle-orders';
const INSTANCES = [
  ['10.0.0.1@-@1', '10.0.0.1'],
  ['10.0.0.2@-@1', '10.0.0.2'],
] as const;
const [FIRST, SECOND] = ['10.0.0.1@-@1', '10.0.0.2@-@1'];

export function describeTriggers(adapter: RegistryAdapter): void {
  describe('a run that an operator asks for', () => {
    const { stage } = useStage(adapter);
    const request = async (instanceId: string) => stage().value(`/${JOB}/trigger/${instanceId}`);

    it('gives both instances the same request, at 5 requests', async () => {
      await stage().writeJava(JOB, { instances: INSTANCES });
      const api = new JobOperateApi(stage().registry, clock);

      const cost = await costOf(stage().registry, async () => {
        const receipt = await api.trigger(JOB, { parameters: 'day=1' });
        expect(receipt).toEqual({ id: expect.any(String), asked: [SECOND, FIRST], pending: [] });
        for (const instanceId of receipt.asked) {
          const text = (await stage().client()).read(`/${JOB}/trigger/${instanceId}`);
          expect(parseTriggerRequest((await text)!.data)).toEqual({ id: receipt.id, parameters: 'day=1' });
        }
      });

      expect(cost).toBe(5);
    });

    it.each<[TriggerReceipt['skipped'], string, { servers?: string[]; props?: string }]>([
      ['disabled', 'servers of its instances are all disabled', { servers: ['DISABLED', 'DISABLED'] }],
      ['resident', 'job is resident', { props: "props:\n  nestjs.resident: 'true'\n" }],
      [undefined, 'job has an instance whose server is enabled', { servers: ['DISABLED', 'ENABLED'] }],
      [undefined, 'settings cannot be read', { props: 'monitorExecution: often\n' }],
    ])('answers that it is skipped as %s if the %s', async (skipped, _, { servers = [], props = '' }) => {
      const nodes = Object.fromEntries(servers.map((status, index) => [`servers/10.0.0.${index + 1}`, status]));
      await stage().writeJava(JOB, { instances: INSTANCES, nodes, config: javaConfig(JOB) + props });

      const receipt = await new JobOperateApi(stage().registry, clock).trigger(JOB);

      expect(receipt).toEqual({ id: receipt.id, asked: [SECOND, FIRST], pending: [], ...(skipped && { skipped }) });
    });

    it('refuses parameters that no instance would read, before it writes anything', async () => {
      await stage().writeJava(JOB, { instances: INSTANCES });
      const api = new JobOperateApi(stage().registry, clock);

      await expect(api.trigger(JOB, { parameters: 'x'.repeat(300_000) })).rejects.toThrow(RequestTooLargeError);

      expect(await stage().registry.exists(`/${JOB}/trigger/${FIRST}`)).toBeUndefined();
    });

    it('keeps a request that an instance has not taken yet, and answers so (fault 18)', async () => {
      await stage().writeJava(JOB, { instances: INSTANCES, nodes: { [`trigger/${FIRST}`]: '' } });

      const receipt = await new JobOperateApi(stage().registry, clock).trigger(JOB);

      expect(receipt).toMatchObject({ asked: [SECOND], pending: [FIRST] });
      expect(await request(FIRST)).toBe('');
    });

    it('leaves one of five simultaneous requests on each instance, and tells its operator (fault 18)', async () => {
      await stage().writeJava(JOB, { instances: INSTANCES });
      const clients = await Promise.all(Array.from({ length: 5 }, () => stage().client()));

      const receipts = await Promise.all(clients.map((client) => new JobOperateApi(client, clock).trigger(JOB)));

      for (const instanceId of [FIRST, SECOND]) {
        const told = receipts.filter(({ asked }) => asked.includes(instanceId));
        expect(told).toHaveLength(1);
        expect(parseTriggerRequest((await request(instanceId))!)!.id).toBe(told[0]!.id);
        expect(receipts.filter(({ pending }) => pending.includes(instanceId))).toHaveLength(4);
      }
    });

    it('removes a request to an instance that is gone', async () => {
      await stage().writeJava(JOB, { instances: INSTANCES, nodes: { 'trigger/10.0.0.9@-@1': '' } });
      await new JobOperateApi(stage().registry, clock).trigger(JOB);
      expect(await stage().names(`/${JOB}/trigger`)).toEqual([FIRST, SECOND]);
    });

    it('asks nobody and writes nothing if the job has no instances', async () => {
      await stage().writeJava(JOB);
      expect(await new JobOperateApi(stage().registry, clock).trigger(JOB)).toEqual({
        id: expect.any(String),
        asked: [],
        pending: [],
        skipped: 'no-instance',
      });
      expect(await stage().registry.exists(`/${JOB}/trigger`)).toBeUndefined();
    });

    it('names the unknown job, and writes nothing', async () => {
      const trigger = new JobOperateApi(stage().registry, clock).trigger(JOB);
      await expect(trigger).rejects.toMatchObject({ code: 'UNKNOWN_JOB', jobName: JOB });
      expect(await stage().registry.exists(`/${JOB}`)).toBeUndefined();
    });
  });
}
