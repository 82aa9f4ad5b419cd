import { afterEach, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';

const JOB = 'settle-orders';
const SECOND = 1_000;
const WALL = Date.UTC(2030, 0, 1, 12);

let cluster: TestCluster;
afterEach(() => cluster.stop());

it('the leader alone tells of an edit of the settings: their names, and when, but no values of props', async () => {
  const edit = await startEditing();
  edit('cron: 0 * * * * ?', 'cron: 0 0 2 * * ?');
  const at = cluster.clock.wallNow();
  await cluster.advance(SECOND);
  expect(told()).toMatchObject([{ fields: ['cron'], count: 1 }]);
  expect(told()[0]!.at - at).toBeLessThan(100);

  edit('props:', 'props:\n  secret: s3cret');
  await cluster.advance(SECOND);
  edit('shardingTotalCount: 2', 'shardingTotalCount: 3');
  await cluster.advance(58 * SECOND);
  expect(told()).toHaveLength(1);
  await cluster.advance(SECOND);
  expect(told()).toMatchObject([{}, { fields: ['props.secret', 'shardingTotalCount'], count: 2 }]);
  expect(told()[1]!.at - at).toBeLessThan(SECOND + 100);
  expect(JSON.stringify(told())).not.toContain('s3cret');
});

it('an edit that changes no setting is no edit, nor is a text that cannot be used', async () => {
  const edit = await startEditing();
  edit("description: ''", 'description: ""');
  await cluster.advance(SECOND);
  edit('cron: 0 * * * * ?', 'cron: not a cron');
  await cluster.advance(SECOND);
  expect(told()).toEqual([]);
});

/** @returns a function that replaces a part of the `config` node's text */
async function startEditing(): Promise<(from: string, to: string) => void> {
  const jobs = [{ name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, description: '', handler: () => {} }];
  cluster = await createTestCluster({ instances: 2, jobs, wall: WALL });
  const { clock, registry } = cluster;
  const operator = registry.center({ namespace: 'test', clock, sessionTimeoutMs: 600_000, requestTimeoutMs: 5_000 });
  await operator.connect();
  await cluster.advance(SECOND);
  let text = (await operator.read(`/${JOB}/config`))!.data;
  return (from, to) => {
    expect(text).toContain(from);
    text = text.replace(from, to);
    void operator.set(`/${JOB}/config`, text);
  };
}

function told() {
  return cluster.instances.flatMap(({ events }) =>
    events.flatMap((event) => (event.kind === 'configuration-changed' ? [event] : [])),
  );
}
