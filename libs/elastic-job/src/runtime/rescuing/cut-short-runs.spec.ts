import { afterEach, describe, expect, it } from 'vitest';
import { Duty, FORMER, JOB, LATTER, SELF } from '@test/support/unit/duties.js';

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
