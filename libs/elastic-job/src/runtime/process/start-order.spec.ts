import { describe, expect, it } from 'vitest';
import { startOrder } from './start-order.js';

describe('the order in which jobs join', () => {
  it('puts each job after its parents, and independent jobs first', () => {
    const jobs = [job('c', 'b'), job('b', 'a', 'elsewhere'), job('x'), job('a')];

    expect(namesIn(jobs)).toEqual([['x', 'a'], ['b'], ['c']]);
  });

  it('puts jobs that wait for each other last, together', () => {
    expect(namesIn([job('a', 'b'), job('b', 'a'), job('x')])).toEqual([['x'], ['a', 'b']]);
  });
});

function namesIn(jobs: readonly ReturnType<typeof job>[]): readonly (readonly string[])[] {
  return startOrder(jobs).map((group) => group.map(({ jobName }) => jobName));
}

function job(jobName: string, ...after: readonly string[]) {
  return { jobName, configuration: { after } };
}
