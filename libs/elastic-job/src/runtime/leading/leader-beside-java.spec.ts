import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Duty, FORMER, JAVA, LATTER, NOBODY, SELF } from '@test/support/unit/duties.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ALONE = [SELF, SELF, SELF, SELF];
const SHARED = [JAVA, JAVA, SELF, SELF];

let duty: Duty;
beforeEach(async () => void (duty = await Duty.of({ strategy: 'AVG_ALLOCATION' })));
afterEach(() => duty.end());

describe('a leader beside Java', () => {
  it('plans for a peer that has joined at the next fire time, and not before', async () => {
    await duty.start();
    await duty.join(JAVA);
    await duty.clock.advance(10 * SECOND);
    expect([duty.owners, duty.tree.isReshardingNecessary()]).toEqual([ALONE, true]);
    await duty.trigger();
    expect([duty.owners, duty.tree.isReshardingNecessary()]).toEqual([SHARED, false]);
    expect(duty.told('resharded')).toHaveLength(2);
  });

  it('plans as soon as no item runs any more if no fire time comes here', async () => {
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

  it('leaves the items of a missing peer with it for its grace', async () => {
    await shared();
    duty.isTicking = false;
    await duty.remove(JAVA);
    await duty.clock.advance(SECOND - 1);
    expect(duty.owners).toEqual(SHARED);
    await duty.clock.advance(1);
    expect(duty.owners).toEqual(ALONE);
  });

  it('queues what one of two peers ran once that peer has been missing for its grace', async () => {
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

  it('counts only what is recorded after the last peer has left as owed', async () => {
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

  it('asks its successor to plan if it gives up the lead because its server is disabled', async () => {
    await shared();
    await duty.put(duty.tree.paths.server('10.0.0.2'), 'DISABLED');
    expect(await duty.text(duty.tree.paths.leader)).toBeUndefined();
    expect(duty.tree.isReshardingNecessary()).toBe(true);
  });
});

describe('an instance that does not lead', () => {
  it('owes runs as ever once it leads, if another of ours has already planned without Java', async () => {
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

  it('asks for another plan each time that a Java leader overlooks it', async () => {
    await duty.join(JAVA);
    await duty.elect(JAVA);
    for (let item = 0; item < 4; item++) await duty.put(duty.tree.paths.mark(item, 'instance'), JAVA);
    await duty.start();
    for (let times = 0; times < 2; times++) {
      expect(duty.tree.isReshardingNecessary()).toBe(true);
      await duty.drop(duty.tree.paths.reshardingFlag);
    }
  });

  it('keeps the last usable settings beside a Java leader if it is the first of ours', async () => {
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

  it('queues orphans beside a Java leader if it is the first of ours', async () => {
    await orphanBesideJava();
    await duty.elect(JAVA);
    await duty.start();
    expect(duty.told('orphaned')).toMatchObject([{ items: [1] }]);
  });

  it('queues orphans after the lead has gone over to a Java peer', async () => {
    await duty.join(LATTER);
    await duty.elect(LATTER);
    await duty.start();
    await orphanBesideJava();
    await duty.operator.transaction([{ kind: 'renew', path: duty.tree.paths.leader, data: JAVA, mode: 'EPHEMERAL' }]);
    await duty.clock.advance(0);
    expect(duty.told('orphaned')).toMatchObject([{ items: [1] }]);
  });

  it.each([
    ['another of ours comes first', JAVA, FORMER],
    ['another of ours leads', LATTER, LATTER],
  ])('sweeps no orphans if %s', async (_, leader, other) => {
    await duty.join(other);
    await orphanBesideJava();
    await duty.elect(leader);
    await duty.start();
    duty.duties.sweepNeeded();
    await duty.clock.advance(0);
    expect(duty.told('orphaned')).toEqual([]);
  });

  it('sweeps nothing beside a Java leader after an operator has removed it', async () => {
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
