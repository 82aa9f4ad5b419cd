import { afterEach, describe, expect, it } from 'vitest';
import { Duty, FORMER, JAVA, JOB, LATTER, SELF } from '@test/support/unit/duties.js';

const DEAD = '10.0.0.5@-@1';
const FIRE_TIME = 60_000;
const CUT_SHORT = { kind: 'cut-short', jobName: JOB, items: [0], fireTime: FIRE_TIME, reason: 'failover-off' };

let duty: Duty;
afterEach(() => duty.end());

describe('a run of an instance that died before this one came', () => {
  it.each([
    ['this one is alone', []],
    ['several start at the same time', [FORMER, LATTER]],
  ])('is told if nobody leads yet and %s', async (_, others) => {
    duty = await Duty.of({ failover: false });
    await duty.putUnfinished(0, DEAD, FIRE_TIME);
    for (const other of others) await duty.join(other);

    await duty.start();

    expect(duty.told('cut-short')).toEqual([CUT_SHORT]);
  });

  it('is told if it was of the same configured id', async () => {
    duty = await Duty.of({ failover: false });
    await duty.putUnfinished(0, SELF, FIRE_TIME);

    await duty.start();

    expect(duty.told('cut-short')).toEqual([CUT_SHORT]);
  });

  it('is told of an item beyond the total also with failover, but not of one that failover repeats', async () => {
    duty = await Duty.of({ failover: true });
    await duty.putUnfinished(3, DEAD, FIRE_TIME);
    await duty.putUnfinished(4, DEAD, FIRE_TIME);

    await duty.start();

    expect(duty.told('cut-short')).toEqual([{ ...CUT_SHORT, items: [4], reason: 'beyond-total' }]);
  });

  it('is not told of an instance that lives', async () => {
    duty = await Duty.of({ failover: false });
    await duty.join(FORMER);
    await duty.putUnfinished(0, DEAD, FIRE_TIME);
    await duty.putUnfinished(1, FORMER, FIRE_TIME);

    await duty.start();

    expect(duty.told('cut-short')).toEqual([CUT_SHORT]);
  });

  it('is not told if another one leads, which has told', async () => {
    duty = await Duty.of({ failover: false });
    await duty.putUnfinished(0, DEAD, FIRE_TIME);
    await duty.join(FORMER);
    await duty.elect(FORMER);
    await duty.start();

    await duty.drop(duty.tree.paths.leader);

    expect(duty.told('cut-short')).toEqual([]);
  });
});

describe('a run of an instance that dies while another one leads', () => {
  const THIRD = '10.0.0.4@-@1';

  it('is told by the next leader with all others, but none of an instance that lives or was told before', async () => {
    await startBeside(FORMER, LATTER, THIRD);
    const holders = [LATTER, THIRD, FORMER, DEAD];
    for (const [item, holder] of holders.entries()) await duty.putUnfinished(item, holder, FIRE_TIME);
    await duty.remove(LATTER);
    await duty.remove(THIRD);

    await duty.drop(duty.tree.paths.leader);

    expect(duty.told('cut-short')).toEqual([{ ...CUT_SHORT, items: [0, 1] }]);
  });

  it('is not told again by the next leader once the former one has made its plan', async () => {
    await startBeside(FORMER, LATTER);
    await duty.putUnfinished(0, LATTER, FIRE_TIME);
    await duty.remove(LATTER);
    duty.duties.shardingCompleted();

    await duty.drop(duty.tree.paths.leader);

    expect(duty.told('cut-short')).toEqual([]);
  });

  it('is told if it died while the connection was away, but not that of one that lives', async () => {
    await startBeside(FORMER);
    await duty.join(LATTER);
    await duty.putUnfinished(0, LATTER, FIRE_TIME);
    await duty.putUnfinished(1, FORMER, FIRE_TIME);
    const { memory } = duty.registry;
    const sessionId = duty.tree.registry.session.id!;

    memory.suspend(sessionId);
    await duty.operator.delete(duty.tree.paths.instance(LATTER));
    await duty.operator.delete(duty.tree.paths.leader);
    memory.resume(sessionId);
    await duty.clock.advance(1_000);

    expect(duty.told('cut-short')).toEqual([CUT_SHORT]);
  });

  async function startBeside(leader: string, ...others: readonly string[]): Promise<void> {
    duty = await Duty.of({ failover: false });
    for (const other of [leader, ...others]) await duty.join(other);
    await duty.elect(leader);
    await duty.start();
  }
});

it('is not told while an instance that was shut down may still end it, and then once', async () => {
  duty = await Duty.leading({ failover: false });
  await duty.join(FORMER);
  await duty.putUnfinished(0, FORMER, FIRE_TIME);
  await duty.put(duty.tree.paths.mark(0, 'running'), FORMER);

  await duty.remove(FORMER);
  await duty.clock.advance(1_000);
  expect(duty.told('cut-short')).toEqual([]);
  await duty.drop(duty.tree.paths.session(FORMER));
  await duty.clock.advance(1_000);

  expect(duty.told('cut-short')).toEqual([CUT_SHORT]);
});

it.each([
  ['resident', { cron: undefined, resident: true }, []],
  ['without monitorExecution', { monitorExecution: false }, []],
  ['shared with Java', {}, [JAVA]],
])('is not told of a job that is %s: its record proves nothing', async (_, options, peers) => {
  duty = await Duty.of({ failover: false, ...options });
  await duty.putUnfinished(0, DEAD, FIRE_TIME);
  for (const peer of peers) await duty.join(peer);

  await duty.start();

  expect(duty.told('cut-short')).toEqual([]);
});

it('is no reason to look again while this instance itself runs an item', async () => {
  duty = await Duty.of({ failover: false });
  await duty.put(duty.tree.paths.mark(0, 'running'), SELF);
  await duty.putUnfinished(0, SELF, FIRE_TIME);
  await duty.start();
  await duty.put(duty.tree.paths.mark(1, 'running'), SELF);
  await duty.clock.advance(1_000);
  const before = duty.tree.registry.traffic.foreground;

  await duty.drop(duty.tree.paths.mark(1, 'running'));
  await duty.clock.advance(1_000);

  expect(duty.tree.registry.traffic.foreground - before).toBe(0);
});
