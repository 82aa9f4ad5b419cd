import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Duty, FORMER, JAVA, LATTER, NOBODY, SELF } from '@test/support/unit/duties.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ALONE = [SELF, SELF, SELF, SELF];
const SHARED = [JAVA, JAVA, SELF, SELF];

let duty: Duty;
beforeEach(async () => void (duty = await Duty.of()));
afterEach(() => duty.end());

describe('a leader beside Java', () => {
  it('given a peer that joins, when the next fire time comes, then the plan is made, and not before', async () => {
    await duty.start();
    await duty.join(JAVA);
    await duty.clock.advance(10 * SECOND);
    expect([duty.owners, duty.tree.isReshardingNecessary()]).toEqual([ALONE, true]);
    await duty.trigger();
    expect([duty.owners, duty.tree.isReshardingNecessary()]).toEqual([SHARED, false]);
    expect(duty.told('resharded')).toHaveLength(2);
  });

  it('given no fire time comes here, when no item runs any more, then the plan is made at once', async () => {
    duty.isTicking = false;
    await duty.start();
    const mark = duty.tree.paths.mark(0, 'running');
    await duty.put(mark, SELF);
    await duty.join(JAVA);
    await duty.clock.advance(SECOND);
    expect(duty.owners).toEqual(ALONE);
    await duty.drop(mark);
    await duty.clock.advance(SECOND);
    expect(duty.owners).toEqual(SHARED);
  });

  it('given a peer that has just joined, when it is missing for a moment, then its items stay with it', async () => {
    await shared();
    duty.isTicking = false;
    await duty.remove(JAVA);
    await duty.clock.advance(SECOND - 1);
    expect(duty.owners).toEqual(SHARED);
    await duty.clock.advance(1);
    expect(duty.owners).toEqual(ALONE);
  });

  it('given two peers, when one of them is missing for its grace, then what it ran is queued', async () => {
    const second = '10.0.0.8@-@4711';
    await duty.start();
    await duty.join(JAVA);
    await duty.join(second);
    const mark = duty.tree.paths.mark(1, 'running');
    await duty.put(mark, second);
    await duty.remove(second);
    await duty.clock.advance(SECOND - 1);
    expect(await duty.text(mark)).toBe(second);
    await duty.clock.advance(1);
    expect(duty.told('orphaned')).toMatchObject([{ items: [1] }]);
  });

  it('given the last peer has left, when the plan is made, then only runs from then on are owed', async () => {
    await shared();
    await duty.clock.advance(MINUTE);
    await duty.putUnfinished(2, SELF, duty.clock.wallNow() - 2 * MINUTE);
    await duty.remove(JAVA);
    await duty.clock.advance(2 * SECOND);
    expect(await duty.text(duty.tree.paths.record(2))).toContain('"by":"java"');

    const owed = await duty.putUnfinished(2, SELF, duty.clock.wallNow() - 2 * MINUTE);
    await duty.put(duty.tree.paths.reshardingFlag);
    expect(await duty.text(duty.tree.paths.record(2))).toBe(owed);
  });

  it('given its server is disabled, when it gives up the lead, then the successor is told to plan', async () => {
    await shared();
    await duty.put(duty.tree.paths.server('10.0.0.2'), 'DISABLED');
    expect(await duty.text(duty.tree.paths.leader)).toBeUndefined();
    expect(duty.tree.isReshardingNecessary()).toBe(true);
  });
});

describe('an instance that does not lead', () => {
  it('given another of ours has planned without Java, when it leads later, then runs are owed as ever', async () => {
    await duty.join(FORMER);
    await duty.elect(FORMER);
    await duty.start();
    await duty.join(JAVA);
    await duty.remove(JAVA);
    await duty.put(duty.tree.paths.reshardingFlag);
    await duty.drop(duty.tree.paths.reshardingFlag);
    await duty.clock.advance(2 * MINUTE);
    const owed = await duty.putUnfinished(0, FORMER, duty.clock.wallNow() - 2 * MINUTE);

    await duty.drop(duty.tree.paths.leader);
    await duty.clock.advance(SECOND);

    expect(await duty.text(duty.tree.paths.leader)).toBe(SELF);
    expect(duty.owners).toEqual([FORMER, FORMER, SELF, SELF]);
    expect(await duty.text(duty.tree.paths.record(0))).toBe(owed);
  });

  it('given a Java leader that overlooks it, when a plan is made, then it asks for another one', async () => {
    await duty.join(JAVA);
    await duty.elect(JAVA);
    for (let item = 0; item < 4; item++) await duty.put(duty.tree.paths.mark(item, 'instance'), JAVA);
    await duty.start();
    for (let times = 0; times < 2; times++) {
      expect(duty.tree.isReshardingNecessary()).toBe(true);
      await duty.drop(duty.tree.paths.reshardingFlag);
    }
  });

  it('given a Java leader, when settings are edited, then the first of ours keeps the last usable text', async () => {
    await duty.join(JAVA);
    await duty.elect(JAVA);
    await duty.start();
    await duty.edit('shardingTotalCount: 4', 'shardingTotalCount: 3');
    await duty.clock.advance(SECOND);
    await duty.edit('cron: 0 * * * * ?', 'cron: often');
    await duty.clock.advance(SECOND);

    const kept = await duty.text(duty.tree.paths.usableConfig);
    expect(kept).toContain('shardingTotalCount: 3');
    expect(kept).toContain('cron: 0 * * * * ?');
    expect(duty.services.configurations.current(duty.tree.jobName).shardingTotalCount).toBe(3);
  });

  it('given orphans, when a Java peer becomes the leader, then the first of ours queues them', async () => {
    await orphanBesideJava();
    await duty.elect(JAVA);
    await duty.start();
    expect(duty.told('orphaned')).toMatchObject([{ items: [1] }]);
  });

  it('given a Java leader, when it is elected later, then the first of ours looks again', async () => {
    await duty.join(LATTER);
    await duty.elect(LATTER);
    await duty.start();
    await orphanBesideJava();
    await duty.operator.transaction([
      { kind: 'delete', path: duty.tree.paths.leader },
      { kind: 'create', path: duty.tree.paths.leader, data: JAVA, mode: 'EPHEMERAL' },
    ]);
    await duty.clock.advance(0);
    expect(duty.told('orphaned')).toMatchObject([{ items: [1] }]);
  });

  it.each([
    ['another of ours comes first', JAVA, FORMER],
    ['another of ours leads', LATTER, LATTER],
  ])('given orphans, when %s, then it leaves them to that one', async (_, leader, other) => {
    await duty.join(other);
    await orphanBesideJava();
    await duty.elect(leader);
    await duty.start();
    duty.duties.SweepNeeded();
    await duty.clock.advance(0);
    expect(duty.told('orphaned')).toEqual([]);
  });

  it('given an operator has removed it, when Java alone is left, then it sweeps nothing', async () => {
    await duty.join(JAVA);
    await duty.remove(SELF);
    await orphan();
    await duty.elect(JAVA);
    await duty.start();
    expect(duty.told('orphaned')).toEqual([]);
  });
});

/** Ours leads, and a Java peer that came later has half of the items. */
async function shared(): Promise<void> {
  await duty.start();
  await duty.join(JAVA);
  await duty.trigger();
  expect(duty.owners).toEqual(SHARED);
}

async function orphanBesideJava(): Promise<void> {
  await duty.join(JAVA);
  await orphan();
}

/** The holder of an item has died during its run. */
async function orphan(): Promise<void> {
  await duty.putUnfinished(1, NOBODY);
  await duty.put(duty.tree.paths.mark(1, 'running'), NOBODY);
}
