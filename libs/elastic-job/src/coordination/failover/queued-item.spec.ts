import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';
import { afterNextLoad, JOB, type Member, Registry } from '@test/support/unit/member.js';

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
beforeEach(async () => void ({ registry, member, operator } = await Registry.ofOne()));

describe('an item that waits for an instance', () => {
  it('is as old as its entry', async () => {
    await operator.create(member.tree.paths.queued(0), '', 'PERSISTENT');
    await registry.clock.advance(1_500);

    expect(await member.queue.pending(JOB)).toEqual([
      { item: 0, cause: 'crashed', lastHolder: undefined, ageMs: 1_500 },
    ]);
  });

  it('is of no age where clocks differ, and names what its record says', async () => {
    await operator.create(member.tree.paths.queued(0), '', 'PERSISTENT');
    await write(0, { by: 'x', settled: { at: 1, outcome: 'failed', cause: 'LOST' } });
    registry.clock.setWall(registry.clock.wallNow() - 5_000);

    expect(await member.queue.pending(JOB)).toEqual([
      { item: 0, cause: 'executor-died', executor: 'LOST', lastHolder: 'x', ageMs: 0 },
    ]);
  });

  it('is reported although the job no longer has such an item', async () => {
    await operator.create(member.tree.paths.queued(9), '', 'PERSISTENT');

    expect(await member.queue.pending(JOB)).toEqual([{ item: 9, cause: 'crashed', lastHolder: undefined, ageMs: 0 }]);
  });

  it('is reported as new if it is taken while it is read', async () => {
    await operator.create(member.tree.paths.queued(0), '', 'PERSISTENT');
    await registry.clock.advance(1_500);
    afterNextLoad(member, () => operator.delete(member.tree.paths.queued(0)));

    expect(await member.queue.pending(JOB)).toMatchObject([{ item: 0, ageMs: 0 }]);
  });

  it.each([{}, { settled: { at: 1, outcome: 'aborted', cause: 'handed-over' } }])(
    'waits to be adopted if its task goes on (%j)',
    async (settled) => {
      await operator.create(member.tree.paths.queued(0), '', 'PERSISTENT');
      await write(0, { by: 'x', isAdoptable: true, ...settled });

      expect(await member.queue.pending(JOB)).toMatchObject([{ item: 0, cause: 'adopt', lastHolder: 'x' }]);
    },
  );

  it('is reported as overflowed only if its last run has overflowed', async () => {
    await write(0, { by: 'x', settled: { at: 1, outcome: 'aborted', cause: 'overflow' } });
    await write(1, { by: 'x', settled: { at: 1, outcome: 'aborted', cause: 'purged' } });
    await write(2, { by: 'x' });
    await operator.create(member.tree.paths.record(3), 'junk', 'PERSISTENT');

    expect(await member.queue.overflowed(JOB)).toEqual([{ item: 0, fireTime: 7_000, lastHolder: 'x' }]);
  });
});

async function write(item: number, more: object): Promise<void> {
  const target = { fireTime: 7_000, origin: 'schedule' };
  const record = { v: 1, run: 'r', target, attempt: 1, begunAt: 7_000, ...more };
  await operator.create(member.tree.paths.record(item), JSON.stringify(record), 'PERSISTENT');
}
