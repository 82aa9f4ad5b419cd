import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HELD, orderOf, type TaskAdapter, WRITTEN } from './harness.js';
import { endOf, launched, listed, statesUntil, stateOf, useStage } from './support.js';

const LIMIT_MS = 500;

export function describeEnds(adapter: TaskAdapter): void {
  describe('the end of a task', () => {
    const stage = useStage(adapter);

    it.each([
      ['succeeds', { name: 'FINISHED', report: { outcome: 'succeeded' } }],
      ['fails', { name: 'FINISHED', report: { outcome: 'failed' } }],
      ['crashes', { name: 'FAILED', detail: 'exit code 3' }],
    ] as const)('of a task that %s has the state %j', async (behaviour, end) => {
      const handle = await stage.launch(behaviour);
      await stage.backend.open(handle, HELD);
      expect(await endOf(stage.backend, handle)).toMatchObject(end);
    });

    it('is reported by a watch, which then ends', async () => {
      const handle = await stage.launch('succeeds');
      await stage.backend.open(handle, HELD);
      await endOf(stage.backend, handle);
      const states = await statesUntil(stage.backend, handle, () => false);
      expect(states.map(({ name }) => name)).toEqual(['FINISHED']);
    });

    it('does not keep a watch waiting whose signal aborts: the watch ends by the reason', async () => {
      const handle = await stage.launch('obeys');
      const ending = new AbortController();
      const reason = new Error('enough');
      const watch = stage.backend.watch(handle, ending.signal)[Symbol.asyncIterator]();
      expect((await watch.next()).value).toMatchObject({ name: 'STAGING' });
      const next = watch.next();
      ending.abort(reason);
      await expect(next).rejects.toBe(reason);
    });

    it('is KILLED by its scheduler if it obeys a cancel', async () => {
      const handle = await stage.run('obeys');
      await stage.backend.cancel(handle, 10_000);
      expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
      await stage.backend.cancel(handle, 10_000);
    });

    it('comes after the grace if it ignores a cancel', async () => {
      const handle = await stage.run('ignores');
      await stage.backend.cancel(handle, 50);
      expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
    });

    it('comes before others take its item if that is lost, whatever the grace, unless they adopt it', async () => {
      if (stage.backend.adopts) return;
      let isLost = false;
      const handle = await stage.launch('ignores');
      const link = { ...HELD, heldForMs: () => (isLost ? 0 : 60_000), lossGraceMs: 50, isLost: () => isLost };
      await stage.backend.open(handle, link);
      await stateOf(stage.backend, handle, 'RUNNING');

      isLost = true;
      await stage.backend.cancel(handle, 600_000);
      expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'LOST' });
    });

    it('comes by a cancel even before it is open, and an open changes nothing', async () => {
      const handle = await stage.launch('succeeds');
      await stage.backend.cancel(handle, 10_000);
      expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
      await stage.backend.open(handle, HELD);
      expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'KILLED' });
    });

    it('is KILLED by its time limit', async () => {
      const handle = await stage.launch('ignores', { timeoutMs: LIMIT_MS, graceMs: 50 });
      await stage.backend.open(handle, HELD);
      expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'KILLED', killer: 'timeout' });
    });

    it('comes by its time limit from its start, however long it has waited for room', async () => {
      const { backend, makeRoom } = await stage.harness.crowded();
      const order = orderOf(stage.harness.template('obeys'), { timeoutMs: LIMIT_MS, graceMs: 50 });
      const handle = launched(await backend.claim(order));
      await backend.open(handle, HELD);
      await stateOf(backend, handle, 'QUEUED');
      await setTimeout(LIMIT_MS + 200); // It waits in real time, and nothing of it happens.

      await makeRoom();

      await stateOf(backend, handle, 'RUNNING');
      const since = performance.now();
      expect(await endOf(backend, handle)).toMatchObject({ name: 'KILLED', killer: 'timeout' });
      expect(performance.now() - since).toBeGreaterThan(LIMIT_MS / 2);
    });

    it('keeps the tail of much output, cut to whole characters', async () => {
      const handle = await stage.run('writes');
      const end = `line ääää ${WRITTEN.lines}\n`;
      await expect.poll(() => stage.backend.tail(handle, 1_000), { timeout: 10_000 }).toMatch(new RegExp(`${end}$`));
      await stage.backend.cancel(handle, 10_000);
      await endOf(stage.backend, handle);
      const bytes = (await stage.backend.tail(handle, 1_000_000))!;
      expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(65_536);
      for (const most of [0, 1, 8, 9, 10, 11, Buffer.byteLength(end)]) {
        const text = (await stage.backend.tail(handle, most))!;
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
        expect(bytes.endsWith(text)).toBe(true);
      }
    });
  });

  describe('a task that is cut off', () => {
    const stage = useStage(adapter);

    it('is UNREACHABLE, and a cancel ends it once it can be reached', async () => {
      const { cutOff } = stage.harness;
      if (cutOff === undefined) return;
      const handle = await stage.run('obeys');
      const heal = cutOff(handle.key);
      await stateOf(stage.backend, handle, 'UNREACHABLE');
      await stage.backend.cancel(handle, 10_000);
      expect(await listed(stage.backend)).toEqual([{ ...handle, isGated: false }]);
      await stateOf(stage.backend, handle, 'UNREACHABLE');

      heal();

      expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
    });

    it('keeps its place from other launches', async () => {
      const { cutOff } = stage.harness;
      if (cutOff === undefined) return;
      const handle = await stage.run('obeys');
      const heal = cutOff(handle.key);
      const target = { fireTime: 1_000, origin: 'schedule', launch: 2 } as const;
      const order = orderOf(stage.harness.template('obeys'), { target, run: 'run-2', token: 2n });
      expect(await stage.backend.claim(order)).toMatchObject({ kind: 'occupied', hasEnded: false });
      heal();
    });
  });

  describe('a release', () => {
    const stage = useStage(adapter);

    it('frees the place of the task, which is UNKNOWN then, also if it is repeated', async () => {
      const handle = await stage.launch('succeeds');
      await stage.backend.open(handle, HELD);
      await endOf(stage.backend, handle);
      await stage.backend.release(handle);
      await stage.backend.release(handle);
      expect(await listed(stage.backend)).toEqual([]);
      expect(await stage.backend.open(handle, HELD)).toBe('taken');
      expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'UNKNOWN' });
      expect(await stage.backend.tail(handle, 100)).toBeUndefined();
    });

    it('of a former task, if it is repeated, keeps the present task of the place', async () => {
      const former = await stage.launch('succeeds');
      await stage.backend.release(former);
      const present = await stage.launch('obeys');
      await stage.backend.release(former);
      await stage.backend.cancel(former, 0);
      expect(await listed(stage.backend)).toEqual([present]);
      expect((await stateOf(stage.backend, present, 'STAGING')).name).toBe('STAGING');
    });

    it('ends a running task without grace', async () => {
      const handle = await stage.run('ignores');
      const end = endOf(stage.backend, handle);
      await stage.backend.release(handle);
      expect(await end).toMatchObject({ name: 'KILLED' });
      expect(await listed(stage.backend)).toEqual([]);
    });
  });

  describe('a stop', () => {
    const stage = useStage(adapter);

    it('loses a running task unless others can adopt it', async () => {
      const handle = await stage.run('ignores');
      const other = await stage.harness.backend();
      const end = stage.backend.adopts ? undefined : endOf(stage.backend, handle);
      await stage.backend.stop();
      await stage.backend.stop();
      const told = (await end)?.name ?? (await listed(other)).map(({ uid }) => uid);
      expect(told).toEqual(stage.backend.adopts ? [handle.uid] : 'LOST');
    });

    it('makes later claims fail, and they say so', async () => {
      await stage.backend.stop();
      await expect(stage.launch('succeeds')).rejects.toMatchObject({ code: 'TASK_BACKEND', request: 'claim' });
    });
  });
}
