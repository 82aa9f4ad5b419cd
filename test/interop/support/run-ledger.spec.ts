import { describe, expect, it } from 'vitest';
import type { PeerEvent } from '../../support/peers/journal.js';
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

describe('what the churn asks of a job of every second', () => {
  it('given a run of ours that began late, then it counts for its fire time', () => {
    const runs = [ours(FROM, FROM + 5), ours(FROM + 1_000, FROM + 2_010), ours(FROM + 2_000, FROM + 2_060)];
    expect(irregularities(runs, SPAN, [])).toEqual([]);
  });

  it('given a run of Java that began late, then it counts for the second in which it began', () => {
    const found = irregularities([javas(FROM + 5), javas(FROM + 2_010), javas(FROM + 2_060)], SPAN, []);
    expect(found.map(({ kind, second }) => `${kind} ${second - FROM}`)).toEqual(['missed 1000', 'doubled 2000']);
  });

  it('given a second that a living owner missed, when nothing stalled, then it has no cause', () => {
    expect(causeOfMissed([{ from: FROM, to: FROM + 3_000 }])).toBeUndefined();
  });

  it('given a second that a living owner missed, when something stalled in it, then that is the cause', () => {
    expect(causeOfMissed([{ from: FROM + 500, to: FROM + 1_500, isStall: true }])).toContain('stalled');
  });

  it('given a second that a living owner missed, when something stalled long after it, then it has no cause', () => {
    expect(causeOfMissed([{ from: FROM + 2_500, to: FROM + 3_000, isStall: true }])).toBeUndefined();
  });

  it('given a second that the new owner missed, when it had waited for sharding until then, then that is the cause', () => {
    const handedOver: Observation = { ...OWNED, at: FROM + 900, owners: ['10.0.0.2'], living: ['10.0.0.2'] };
    expect(causeOfMissed([{ from: FROM, to: FROM + 3_000 }], [OWNED, handedOver])).toContain('wait for sharding');
  });

  it('given a second that the new owner missed, when it had been the owner for a second, then it has no cause', () => {
    const handedOver: Observation = { ...OWNED, at: FROM - 100, owners: ['10.0.0.2'], living: ['10.0.0.2'] };
    expect(causeOfMissed([{ from: FROM, to: FROM + 3_000 }], [OWNED, handedOver])).toBeUndefined();
  });
});

/** Of the second of three. */
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
