import { describe, expect, it } from 'vitest';
import type { PeerEvent } from '@test/support/peers/journal.js';
import { attribute, type FaultWindow, irregularities, type Observation } from './run-ledger.js';

const FROM = 1_000_000;
const SPAN = { from: FROM, to: FROM + 3_000, items: 1 };
const OWNED: Observation = {
  at: FROM - 1_000,
  leader: '10.0.0.1',
  owners: ['10.0.0.1'],
  living: ['10.0.0.1'],
  isResharding: false,
};

describe('the promise of a job of every second, under churn', () => {
  it('counts a late run of ours for its fire time', () => {
    const runs = [ours(FROM, FROM + 5), ours(FROM + 1_000, FROM + 2_010), ours(FROM + 2_000, FROM + 2_060)];
    expect(irregularities(runs, SPAN, [])).toEqual([]);
  });

  it('counts a late run of Java for the second in which it began', () => {
    const found = irregularities([javas(FROM + 5), javas(FROM + 2_010), javas(FROM + 2_060)], SPAN, []);
    expect(found.map(({ kind, second }) => `${kind} ${second - FROM}`)).toEqual(['missed 1000', 'doubled 2000']);
  });

  it('finds no cause for a second that a living owner missed if nothing stalled', () => {
    expect(causeOfMissed([{ from: FROM, to: FROM + 3_000 }])).toBeUndefined();
  });

  it('takes a stall in the second as the cause if a living owner missed it', () => {
    expect(causeOfMissed([{ from: FROM + 500, to: FROM + 1_500, isStall: true }])).toContain('stalled');
  });

  it('finds no cause for a second that a living owner missed if a stall came long after it', () => {
    expect(causeOfMissed([{ from: FROM + 2_500, to: FROM + 3_000, isStall: true }])).toBeUndefined();
  });

  it('takes the wait for sharding as the cause if the new owner missed the second', () => {
    const handedOver: Observation = { ...OWNED, at: FROM + 900, owners: ['10.0.0.2'], living: ['10.0.0.2'] };
    expect(causeOfMissed([{ from: FROM, to: FROM + 3_000 }], [OWNED, handedOver])).toContain('wait for sharding');
  });

  it('finds no cause if the new owner missed a second and had owned the item for one', () => {
    const handedOver: Observation = { ...OWNED, at: FROM - 100, owners: ['10.0.0.2'], living: ['10.0.0.2'] };
    expect(causeOfMissed([{ from: FROM, to: FROM + 3_000 }], [OWNED, handedOver])).toBeUndefined();
  });
});

/** The cause of the second of three fire times. */
function causeOfMissed(windows: readonly FaultWindow[], observations = [OWNED]): string | undefined {
  const [missed] = irregularities([javas(FROM + 5), javas(FROM + 2_010)], SPAN, windows);
  return attribute(missed!, observations, windows);
}

function ours(fireTime: number, at: number): PeerEvent {
  return { peer: 'node-1', event: 'begun', item: 0, at, context: { fireTime, taskId: 'task' } };
}

function javas(at: number): PeerEvent {
  return { peer: 'java-1', event: 'begun', item: 0, at, context: { taskId: 'task' } };
}
