import { describe, expect, it } from 'vitest';
import { JobPaths } from './job-paths.js';
import { type OversizedNodeError, TreeBounds } from './tree-bounds.js';

function setUp() {
  const told: OversizedNodeError[] = [];
  return { told, bounds: new TreeBounds(new JobPaths('settle'), (error) => told.push(error)) };
}

describe('what is taken in of a job', () => {
  it.each([
    'config',
    'instances/10.0.0.1@-@7-1a',
    'sessions/10.0.0.1@-@7-1a',
    'servers/10.0.0.1',
    'departed/10.0.0.1',
    'ended',
    'leader/election/instance',
    'leader/failover/items/7',
    'sharding/0',
    'sharding/0/instance',
    'sharding/12/record',
    'trigger/10.0.0.1@-@7-1a',
    'cancel/3',
    'reruns',
    'reruns/r1',
    'reruns/r1/3',
    'guarantee/started/0',
    'dependents/report',
    'after',
    'next-job-instance-ip',
  ])('includes %s', (path) => {
    expect(setUp().bounds.admits(`/settle/${path}`)).toBe(true);
  });

  it.each([
    'unknown',
    'unknown/below',
    'config/below',
    'instances/no-instance',
    'instances/10.0.0.1@-@7/below',
    `servers/${'x'.repeat(600)}`,
    'sharding/x',
    'sharding/-1/record',
    'leader/election/other',
    'guarantee/started/x',
    'reruns/r1/x',
    'reruns/r1/3/below',
    `sharding/0${'/deep'.repeat(20)}`,
  ])('leaves out %s', (path) => {
    expect(setUp().bounds.admits(`/settle/${path}`)).toBe(false);
  });

  it('includes only 1,000 of many unknown nodes below an item', () => {
    const { bounds } = setUp();
    const admitted = Array.from({ length: 5_000 }, (_, i) => bounds.admits(`/settle/sharding/0/junk-${i}`));
    expect(admitted.filter(Boolean)).toHaveLength(1_000);
  });

  it("has as much of a created job's settings as its template allows", () => {
    const { bounds } = setUp();
    const ofCreated = new TreeBounds(new JobPaths('settle'), () => {}, 100);

    for (const node of ['config', 'usable']) {
      expect([bounds, ofCreated].map((one) => one.longest(`/settle/${node}`))).toEqual([262_144, 100]);
    }
    expect(ofCreated.longest('/settle/after')).toBe(262_144);
  });

  it('has the whole text of a re-run, and short ones below it, which have no children', () => {
    const { bounds } = setUp();
    expect(['reruns/r1', 'reruns/r1/3'].map((path) => bounds.longest(`/settle/${path}`))).toEqual([262_144, 4_096]);
    expect(['reruns', 'reruns/r1', 'reruns/r1/3'].map((path) => bounds.isLeaf(`/settle/${path}`))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('reports each node that is left out once, and twenty nodes at most', () => {
    const { bounds, told } = setUp();
    for (const _ of [1, 2]) {
      for (let i = 0; i < 30; i += 1) bounds.onLeftOut(`/settle/instances/10.0.0.${i}@-@1`, 'value');
      bounds.onLeftOut('/settle/servers', 'children');
    }
    expect(told).toHaveLength(20);
    expect(told[0]).toMatchObject({ code: 'OVERSIZED_NODE', path: '/settle/instances/10.0.0.0@-@1' });
    expect(told[0]!.message).toContain('has more than 16384 characters, and is not read further');
  });
});
