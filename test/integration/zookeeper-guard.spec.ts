import { expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { ZooKeeperGuard } from '../../libs/elastic-job/src/guards/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const clock = new SystemClock();

it('lets no older run write after a newer one if runs write at once, over a real ZooKeeper', async () => {
  const namespace = `guard-${clock.uuid()}`;
  const centers = await Promise.all([0, 1, 2].map(() => connect(namespace)));
  const registry = centers[0]!;
  await registry.create('/ledger', '', 'PERSISTENT');
  const base = 2n ** 62n;
  const tokens = Array.from({ length: 30 }, (_, index) => base + BigInt((index * 7) % 30));

  const answers = await Promise.allSettled(
    tokens.map((token, index) => {
      const run = { jobName: 'settle-orders', shardingItem: 0, token, tokenEpoch: 0 };
      const data = String(token);
      const entry = { kind: 'create', path: '/ledger/e', data, mode: 'PERSISTENT_SEQUENTIAL' } as const;
      return new ZooKeeperGuard(centers[index % 3]!, '/fences').write(run, [entry]);
    }),
  );

  const names = (await registry.children('/ledger')).toSorted();
  const seen = (await registry.readMany(names.map((name) => `/ledger/${name}`))).map((node) => BigInt(node!.data));
  expect(seen).toEqual(seen.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(seen.at(-1)).toBe(base + 29n);
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []));
  expect(new Set(refused)).toEqual(new Set(['FENCED']));
  expect(seen).toHaveLength(30 - refused.length);
});

async function connect(namespace: string): Promise<RegistryCenter> {
  const center = new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace, sessionTimeoutMs: 10_000 }, clock);
  await center.connect();
  onTestFinished(() => center.close());
  return center;
}
