import { afterEach, describe, expect, it, vi } from 'vitest';
import { DRAINING } from '../../coordination/index.js';
import type { JobOptions } from '../../domain/index.js';
import { Duty, FORMER, JOB, NOBODY, RESHARD_DELAY_MS, SELF } from '@test/support/unit/duties.js';

const SECOND = 1_000;
const ALONE = [SELF, SELF, SELF, SELF];
const SHARED = [FORMER, FORMER, SELF, SELF];

let duty: Duty;
afterEach(() => duty.end());

describe('a leader plans anew', () => {
  it('and sweeps only once if it is elected just after it has joined', async () => {
    duty = await Duty.of();
    const sweep = vi.spyOn(duty.services.orphans, 'sweep');
    duty.duties.instanceJoined({ kind: 'InstanceJoined', instanceId: SELF });

    await duty.start();
    await duty.clock.advance(SECOND);

    expect(sweep).toHaveBeenCalledTimes(1);
    expect(duty.told('resharded')).toHaveLength(1);
    expect(duty.tree.isReshardingNecessary()).toBe(false);
  });

  it('once, after the delay, if another instance joins', async () => {
    await lead({ strategy: 'AVG_ALLOCATION' });
    await duty.join(FORMER);
    await duty.clock.advance(RESHARD_DELAY_MS - 1);
    expect(duty.owners).toEqual(ALONE);

    await duty.clock.advance(1);

    expect(duty.owners).toEqual(SHARED);
    expect(duty.told('resharded')).toHaveLength(2);
  });

  it('without an instance that drains', async () => {
    await lead({}, FORMER);
    await duty.put(duty.tree.paths.session(FORMER), DRAINING);
    await duty.clock.advance(RESHARD_DELAY_MS);
    expect(duty.owners).toEqual(ALONE);
  });

  it('and tells a crash under the id of an instance that had left before', async () => {
    await lead({}, FORMER);
    const { paths } = duty.tree;
    const goes = async () => {
      const nodes = [paths.session(FORMER), paths.instance(FORMER)];
      await duty.operator.transaction(nodes.map((path) => ({ kind: 'delete', path })));
      await duty.clock.advance(SECOND);
    };
    await duty.put(paths.session(FORMER), DRAINING);
    await goes();
    await duty.join(FORMER);
    await duty.clock.advance(SECOND);

    await goes();

    expect(duty.told('resharded').map(({ cause }) => cause)).toEqual(['joined', 'left', 'joined', 'crashed']);
  });

  it('without an instance whose server is disabled', async () => {
    await lead({}, FORMER);
    await duty.put(duty.tree.paths.server('10.0.0.3'), 'DISABLED');
    await duty.clock.advance(RESHARD_DELAY_MS);
    expect(duty.owners).toEqual(ALONE);
  });

  it('but not for a disabled server without instances', async () => {
    await lead();
    await duty.put(duty.tree.paths.server('10.0.0.7'), 'DISABLED');
    await duty.clock.advance(SECOND);
    expect(duty.told('resharded')).toHaveLength(1);
  });

  it('to restore an owner or an item that somebody has deleted', async () => {
    await lead();
    await duty.drop(duty.tree.paths.mark(0, 'instance'));
    expect(duty.owners).toEqual(ALONE);
    const parts = [duty.tree.paths.mark(1, 'instance'), duty.tree.paths.item(1)];
    await duty.operator.transaction(parts.map((path) => ({ kind: 'delete', path })));
    await duty.clock.advance(0);
    expect(duty.owners).toEqual(ALONE);
  });

  it('with fewer items after a smaller total is written', async () => {
    await lead();
    await duty.edit('shardingTotalCount: 4', 'shardingTotalCount: 3');
    await duty.clock.advance(RESHARD_DELAY_MS);
    expect(duty.owners).toEqual([SELF, SELF, SELF]);
  });

  it('before the delay is over if it is alone and the total changes', async () => {
    await lead();
    await duty.edit('shardingTotalCount: 4', 'shardingTotalCount: 3');
    await duty.clock.advance(RESHARD_DELAY_MS / 2);
    expect(duty.owners).toEqual([SELF, SELF, SELF]);
  });

  it('on request of an operator, and removes the flag', async () => {
    await lead();
    await duty.put(duty.tree.paths.reshardingFlag);
    expect(duty.tree.isReshardingNecessary()).toBe(false);
  });

  it('but not for an owner that was set by hand and set back', async () => {
    await lead();
    await duty.put(duty.tree.paths.mark(0, 'instance'), NOBODY);
    await duty.put(duty.tree.paths.mark(0, 'instance'), SELF);
    await duty.clock.advance(6 * SECOND);
    expect(duty.told('resharded')).toHaveLength(1);
  });

  it('for a lost lead and a request that came while the connection was away', async () => {
    await lead();
    const { memory } = duty.registry;
    const sessionId = duty.tree.registry.session.id!;
    memory.suspend(sessionId);
    await duty.operator.delete(duty.tree.paths.leader);
    await duty.operator.create(duty.tree.paths.reshardingFlag, '', 'PERSISTENT');
    memory.resume(sessionId);
    await duty.clock.advance(SECOND);
    expect(duty.told('leader-elected')).toMatchObject([{ term: 1 }, { term: 2 }]);
    expect(duty.tree.isReshardingNecessary()).toBe(false);
  });
});

describe('a lead', () => {
  it('ends its term if the election node is deleted, and stands again a second later', async () => {
    await lead();
    const { signal } = duty.services.leader.term(JOB)!;
    await duty.drop(duty.tree.paths.leader);
    expect(signal.aborted).toBe(true);
    await duty.clock.advance(SECOND - 1);
    expect(duty.told('leader-elected')).toHaveLength(1);
    await duty.clock.advance(1);
    expect(duty.told('leader-elected')).toMatchObject([{ term: 1 }, { instanceId: SELF, term: 2 }]);
  });

  it('leaves the queue alone if its own server is disabled but another one is enabled', async () => {
    await lead({}, FORMER);
    await duty.put(duty.tree.paths.queued(2));
    await duty.put(duty.tree.paths.server('10.0.0.2'), 'DISABLED');
    expect(await duty.text(duty.tree.paths.queued(2))).toBe('');
  });
});

describe('a leader keeps the last usable settings', () => {
  it('again if somebody deletes them', async () => {
    await lead();
    const { usableConfig } = duty.tree.paths;
    const kept = await duty.text(usableConfig);
    await duty.drop(usableConfig);
    expect([kept, await duty.text(usableConfig)]).toEqual([expect.stringContaining(JOB), kept]);
  });

  it('and plans by them as they are edited while the present ones cannot be used', async () => {
    await lead();
    const { config, usableConfig } = duty.tree.paths;
    const kept = (await duty.text(usableConfig))!;
    await duty.put(config, 'cron: [');
    await duty.put(usableConfig, kept.replace('shardingTotalCount: 4', 'shardingTotalCount: 3'));
    await duty.clock.advance(RESHARD_DELAY_MS);
    expect(duty.owners).toEqual([SELF, SELF, SELF]);
  });
});

describe('a leader of a job that is started after others', () => {
  it('warns once of missing parents, and once of unreadable starts', async () => {
    await lead({ cron: undefined, after: ['import'] });
    expect(duty.told('parents-away')).toMatchObject([{ parents: [{ jobName: 'import', reason: 'missing' }] }]);

    await duty.put(duty.tree.paths.after, 'damaged');
    expect(duty.warnings).toEqual([expect.stringContaining('could not be read and was created anew')]);
    expect(duty.services.dependencies.isDamaged(duty.tree)).toBe(false);
  });
});

async function lead(options?: Partial<JobOptions>, beside?: string): Promise<void> {
  duty = await Duty.of(options);
  if (beside !== undefined) await duty.join(beside);
  await duty.start();
}
