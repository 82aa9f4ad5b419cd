import { describe, expect, it } from 'vitest';
import type { JobNode } from './job-node.js';
import { JobPaths } from './job-paths.js';

const paths = new JobPaths('settle-orders');
const ID = '10.0.0.1@-@7-1a';

describe('the paths of a job', () => {
  it.each<[string, JobNode]>([
    [paths.config, { kind: 'config' }],
    [paths.leader, { kind: 'leader' }],
    [paths.reshardingFlag, { kind: 'resharding-flag' }],
    [paths.instance(ID), { kind: 'instance', instanceId: ID }],
    [paths.session(ID), { kind: 'session', instanceId: ID }],
    [paths.server('10.0.0.1'), { kind: 'server', serverIp: '10.0.0.1' }],
    [paths.reshardingProcessing, { kind: 'resharding-processing' }],
    [paths.nextInstanceIp, { kind: 'next-instance-ip' }],
    [paths.after, { kind: 'after' }],
    [paths.countingLock, { kind: 'counting-lock' }],
    [paths.trigger(ID), { kind: 'trigger', instanceId: ID }],
    [paths.guarantee('started'), { kind: 'guarantee', phase: 'started', item: undefined }],
    [paths.guaranteed('completed', 4), { kind: 'guarantee', phase: 'completed', item: 4 }],
    [paths.queued(12), { kind: 'queued-item', item: 12 }],
    [paths.cancel(12), { kind: 'cancel', item: 12 }],
    [paths.rerun('r1'), { kind: 'rerun', id: 'r1' }],
    [paths.rerunItem('r1', 12), { kind: 'rerun-item', id: 'r1', item: 12 }],
    [paths.item(0), { kind: 'item', item: 0 }],
    [paths.mark(3, 'instance'), { kind: 'item-instance', item: 3 }],
    [paths.mark(3, 'running'), { kind: 'item-running', item: 3 }],
    [paths.mark(3, 'misfire'), { kind: 'item-misfire', item: 3 }],
    [paths.mark(3, 'disabled'), { kind: 'item-disabled', item: 3 }],
    [paths.mark(3, 'failover'), { kind: 'item-failover', item: 3 }],
    [paths.mark(3, 'failovering'), { kind: 'item-failovering', item: 3 }],
    [paths.mark(3, 'checkpoint'), { kind: 'item-checkpoint', item: 3 }],
    [paths.mark(3, 'task'), { kind: 'item-task', item: 3 }],
  ])('parse to the node that they were written for: %s', (path, node) => {
    expect(paths.parse(path)).toEqual(node);
  });

  it.each([paths.items, paths.servers])('parse to a parent to be kept: %s', (path) => {
    expect(paths.parse(path)).toEqual({ kind: 'parent' });
  });

  it('parse to a node that each job has, for all that are laid', () => {
    const kinds = new Set(paths.laid.map((path) => paths.parse(path).kind));
    expect(kinds).toEqual(new Set(['laid', 'parent']));
  });

  it.each([
    paths.departures,
    paths.ended,
    paths.departed('10.0.0.1'),
    paths.triggers,
    paths.electionLatch,
    paths.guaranteeLatch('started'),
    `${paths.guarantee('started')}/later`,
    paths.systemTime,
    `${paths.config}/more`,
    `${paths.queue}/latch`,
    `${paths.queue}/01`,
    `${paths.root}/leader/failover/latch/1`,
    `${paths.items}/processing`,
    `${paths.items}/-1`,
    `${paths.items}/007`,
    `${paths.items}/9007199254740993`,
    `${paths.queue}/9007199254740993`,
    paths.cancel(1e21).replace('1e+21', '1'.padEnd(22, '0')),
    `${paths.item(1)}/later`,
    paths.reruns,
    `${paths.rerun('r1')}/007`,
    `${paths.rerunItem('r1', 1)}/later`,
  ])('parse to a node that does not matter: %s', (path) => {
    expect(paths.parse(path)).toEqual({ kind: 'other' });
  });

  it('parse to the root of the job if it is meant', () => {
    expect(paths.parse(paths.root)).toEqual({ kind: 'root' });
  });

  it('equal those of Java to the byte', () => {
    expect([paths.leader, paths.reshardingFlag, paths.queued(1), paths.mark(1, 'running')]).toEqual([
      '/settle-orders/leader/election/instance',
      '/settle-orders/leader/sharding/necessary',
      '/settle-orders/leader/failover/items/1',
      '/settle-orders/sharding/1/running',
    ]);
  });
});
