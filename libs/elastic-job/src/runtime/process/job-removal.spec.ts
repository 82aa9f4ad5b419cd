import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beforeNextTransaction, JOB } from '@test/support/unit/member.js';
import type { VirtualClock } from '../../testing/index.js';
import { LEFT, LeavingJob } from '@test/support/unit/leaving-job.js';

const MINUTE = 60_000;
const GRACE_MS = 5_000;
const NO_RIGHT = -102;

let job: LeavingJob;
let clock: VirtualClock;
beforeEach(async () => {
  job = await LeavingJob.ofOne();
  ({ clock } = job.registry);
});
afterEach(() => job.assertQuiet());

describe('an instance that an operator removes', () => {
  it('aborts its item, gives up the lead, and asks others to plan', async () => {
    const lease = await job.run();
    await job.remove();
    expect(lease.signal.reason).toEqual(job.removed);
    expect([await job.nodes(), job.member.tree.isReshardingNecessary()]).toEqual([['session'], true]);
    expect([job.departure.removal, job.departure.isLeaving, job.lost]).toEqual([job.removed.message, false, []]);
    expect(job.told).toMatchObject([{ kind: 'error', error: job.removed }]);
  });

  it('is waited for no longer than its grace if an item does not end, of which it warns then', async () => {
    await job.run();
    await job.remove();
    await clock.advance(GRACE_MS - 1);
    expect(await job.nodes()).toEqual(['session']);
    expect(job.told).toMatchObject([{ kind: 'error' }]);
    await clock.advance(1);
    expect([await job.nodes(), job.lost]).toEqual([[], [job.removed]]);
    const message = expect.stringContaining('others may run the item meanwhile');
    expect(job.told).toMatchObject([{ kind: 'error' }, { kind: 'warning', message }]);
  });

  it('is waited for only until an item that heeds its signal has ended', async () => {
    const lease = await job.run();
    await job.remove();
    let isGone = false;
    void job.departure.removed().then(() => (isGone = true));
    await job.rest();
    expect(isGone).toBe(false);
    await job.end(lease);
    expect([await job.nodes(), job.lost, job.stops, isGone]).toEqual([[], [job.removed], 1, true]);
  });

  it('reports its removal once', async () => {
    await job.remove();
    await job.departure.obeyRemoval(job.member.id);
    expect([job.told.length, job.lost]).toEqual([1, [job.removed]]);
  });

  it('reports no failure if its term ends as it resigns', async () => {
    const { leader, tree } = job.member;
    await job.operator.delete(tree.paths.instance(job.member.id));
    await job.rest();
    beforeNextTransaction(job.member, async () => {
      await job.operator.delete(tree.paths.leader);
      leader.endTerm(JOB, new Error('an operator has deleted the election node'));
    });
    await job.departure.obeyRemoval(job.member.id);
    expect([await job.nodes(), job.lost]).toEqual([[], [job.removed]]);
  });

  it('asks others to plan, and leaves, once the registry no longer refuses its request', async () => {
    const path = job.member.tree.paths.reshardingFlag;
    const mend = job.registry.memory.fail((request) => (request.path.endsWith(path) ? NO_RIGHT : undefined));
    await job.remove();
    await clock.advance(2 * MINUTE);
    expect([job.takeReports(), await job.nodes()]).toEqual([['resigning'], ['leader', 'session']]);
    mend();
    await clock.advance(2 * MINUTE);
    expect([await job.nodes(), job.member.tree.isReshardingNecessary()]).toEqual([[], true]);
  });

  it('leaves the lead to another instance that has it', async () => {
    const { member: leader, operator, registry } = job;
    job = new LeavingJob(registry, operator, await registry.joined());
    await job.remove();
    expect((await operator.read(leader.tree.paths.leader))?.data).toBe(leader.id);
    expect([job.member.tree.isReshardingNecessary(), job.lost]).toEqual([false, [job.removed]]);
  });

  it('aborts its item, and leaves as it would, if it leaves already', async () => {
    const lease = await job.run();
    void job.departure.drain();
    await job.rest();
    await job.remove();
    expect([lease.signal.reason, job.departure.removal]).toEqual([job.removed, undefined]);
    await job.end(lease);
    expect([await job.nodes(), job.lost, job.stops]).toEqual([[], [LEFT], 1]);
  });

  it('reports nothing if it had left before', async () => {
    await clock.advanceUntil(job.departure.drain());
    await job.departure.obeyRemoval(job.member.id);
    expect([job.told, job.departure.removal]).toEqual([[], undefined]);
  });
});
