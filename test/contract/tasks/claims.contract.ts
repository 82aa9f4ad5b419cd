import { describe, expect, it } from 'vitest';
import { HELD, orderOf, type TaskAdapter } from './harness.js';
import { endOf, launched, listed, stateOf, useStage } from './support.js';

export function describeClaims(adapter: TaskAdapter): void {
  describe('a claim', () => {
    const stage = useStage(adapter);

    it('launches a task that does nothing until it is opened', async () => {
      const handle = await stage.launch('succeeds');
      expect(handle).toMatchObject({ run: 'run-1', token: 1n, isGated: true });
      expect((await stateOf(stage.backend, handle, 'STAGING')).name).toBe('STAGING');

      expect(await stage.backend.open(handle, HELD)).toBe('opened');
      expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'FINISHED' });
    });

    it('gives the same task for the same order', async () => {
      const handle = await stage.launch('succeeds');
      expect(await stage.launch('succeeds')).toEqual(handle);
    });

    it('reports an open task as open if it is repeated, and the task goes on', async () => {
      const handle = await stage.run('obeys');
      expect(await stage.launch('obeys')).toEqual({ ...handle, isGated: false });
      expect(await stage.backend.open(handle, HELD)).toBe('opened');
      expect(await listed(stage.backend)).toHaveLength(1);
    });

    it.each([
      ['another target', { fireTime: 2_000, origin: 'schedule', launch: 1 } as const],
      ['another origin', { fireTime: 1_000, origin: 'manual:x', launch: 1 } as const],
      ['a later launch', { fireTime: 1_000, origin: 'schedule', launch: 2 } as const],
    ])('finds the place occupied if %s is claimed, whatever the token', async (_, target) => {
      const handle = await stage.launch('obeys');
      const order = orderOf(stage.harness.template('obeys'), { target, run: 'run-2', token: 2n });
      expect(await stage.backend.claim(order)).toEqual({ kind: 'occupied', by: handle, hasEnded: false });
    });

    it('waits for the release of a task that has ended before another launch', async () => {
      const handle = await stage.launch('crashes');
      await stage.backend.open(handle, HELD);
      expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'FAILED' });
      const target = { fireTime: 1_000, origin: 'schedule', launch: 2 } as const;
      const order = orderOf(stage.harness.template('succeeds'), { target, run: 'run-2', token: 2n });
      expect(await stage.backend.claim(order)).toMatchObject({ kind: 'occupied', hasEnded: true });

      await stage.backend.release(handle);
      const next = launched(await stage.backend.claim(order));
      expect(next.uid).not.toBe(handle.uid);
    });

    it('is refused as taken with a lesser token', async () => {
      await stage.launch('obeys', { token: 5n });
      const order = orderOf(stage.harness.template('obeys'), { token: 4n, run: 'run-0' });
      expect(await stage.backend.claim(order)).toEqual({ kind: 'taken' });
    });

    it('gives each item of a job a place of its own', async () => {
      const key = { cluster: 'contract', jobName: 'settle-orders' };
      await stage.launch('obeys', { key: { ...key, item: 0 } });
      await stage.launch('obeys', { key: { ...key, item: 1 } });
      expect((await listed(stage.backend)).map((handle) => handle.key.item)).toEqual([0, 1]);
    });

    it('does nothing if its signal has aborted', async () => {
      const reason = new Error('enough');
      const claim = stage.backend.claim(orderOf(stage.harness.template('obeys')), AbortSignal.abort(reason));
      await expect(claim).rejects.toBe(reason);
      expect(await listed(stage.backend)).toEqual([]);
    });
  });
}
