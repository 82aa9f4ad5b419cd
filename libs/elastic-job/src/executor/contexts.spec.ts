import { expect, it } from 'vitest';
import { resolveJobOptions, type ShardingContext } from '../domain/index.js';
import { FIRE_TIME, setUp } from '@test/support/unit/hand-made-lease.js';
import { contextsOf } from './contexts.js';

it.each<[string, (context: ShardingContext) => ShardingContext]>([
  ['itself', (context) => context],
  ['a copy of it', (context) => ({ ...context })],
  ['a proxy of it', (context) => new Proxy(context, {})],
  ['an object derived from it', (context) => Object.create(context)],
])('the signal of a context is that of its item, read from %s', (_, made) => {
  const { lease, contextOf } = ofLease();
  expect(made(contextOf(1, 1)).signal).toBe(lease.signalOf(1));
});

it('a copy of a context has its checkpoint and its fire time', () => {
  const { contextOf } = ofLease();
  expect({ ...contextOf(1, 1) }).toMatchObject({
    checkpoint: { load: expect.any(Function) },
    fireTime: new Date(FIRE_TIME),
  });
});

function ofLease() {
  const { lease } = setUp({ items: [0, 1] });
  const options = { name: lease.jobName, cron: '0 * * * * ?', shardingTotalCount: 2 };
  return { lease, contextOf: contextsOf(lease, resolveJobOptions(options, { place: 'spec' }), 0) };
}
