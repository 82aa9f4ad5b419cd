import { describe, expect, it } from 'vitest';
import type { TaskHandle } from '../../../libs/elastic-job/src/cloud/index.js';
import { HELD, orderOf, type TaskAdapter } from './harness.js';
import { endOf, listed, stateOf, useStage } from './support.js';

export function describeAdoptions(adapter: TaskAdapter): void {
  describe('an adoption', () => {
    const stage = useStage(adapter);

    /** Claims the task for another scheduler with a greater token. Undefined means that this backend does not adopt. */
    async function adopt(): Promise<TaskHandle | undefined> {
      const other = stage.backend.adopts ? await stage.harness.backend() : stage.backend;
      const order = orderOf(stage.harness.template('obeys'), { run: 'run-2', token: 2n });
      const claimed = await other.claim(order);
      expect(claimed.kind).toBe(stage.backend.adopts ? 'adopted' : 'occupied');
      if (claimed.kind !== 'adopted') return undefined;
      expect(claimed.handle).toMatchObject({ run: 'run-2', token: 2n });
      return claimed.handle;
    }

    it('succeeds with a greater token where the backend can adopt', async () => {
      const handle = await stage.run('obeys');
      const holder = (await adopt()) ?? handle;
      expect(holder.uid).toBe(handle.uid);
      await stage.backend.cancel(holder, 10_000);
      expect(await endOf(stage.backend, holder)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
    });

    it('makes requests of the former holder ineffective', async () => {
      const handle = await stage.launch('obeys');
      const adopted = await adopt();
      if (adopted === undefined) return;
      expect(await stage.backend.open(handle, HELD)).toBe('taken');
      await stage.backend.cancel(handle, 0);
      await stage.backend.release(handle);
      expect(await listed(stage.backend)).toEqual([adopted]);
      expect((await stateOf(stage.backend, adopted, 'STAGING')).name).toBe('STAGING');

      expect(await stage.backend.open(adopted, HELD)).toBe('opened');
      await stateOf(stage.backend, adopted, 'RUNNING');
    });

    it('answers the former holder that the task is taken', async () => {
      await stage.launch('obeys');
      if ((await adopt()) === undefined) return;
      expect(await stage.backend.claim(orderOf(stage.harness.template('obeys')))).toEqual({ kind: 'taken' });
    });
  });
}
