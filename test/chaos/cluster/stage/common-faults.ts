import { setTimeout as delay } from 'node:timers/promises';
import {
  ALL_PERMISSIONS,
  connectRawClient,
  type Ensemble,
  type RawClient,
  type TestServer,
} from '@test/support/faults/index.js';
import type { Seeded } from '@test/support/seeded.js';
import type { Cluster } from './cluster.js';
import { RETRY_MS } from './worker-faults.js';

/** Faults that hit all workers. Each resolves when the ensemble serves and the workers are back. */
export const COMMON_FAULTS = {
  'ZooKeeper leader killed': (cluster, random) =>
    breakEnsemble(cluster, 'ZooKeeper leader killed', async ({ leader, ensemble }) => {
      await leader.kill();
      await ensemble.untilServing();
      await delay(random.between(0, 1_000));
    }),
  'quorum lost': (cluster, random) =>
    breakEnsemble(cluster, 'quorum lost', async ({ leader, followers }) => {
      await Promise.all([leader.kill(), followers[0]!.kill()]);
      await delay(random.between(1_000, 5_000));
    }),
  'ensemble restarted': (cluster) =>
    breakEnsemble(cluster, 'ensemble restarted', async ({ leader, followers }) => {
      await Promise.all([leader, ...followers].map((member) => member.kill()));
    }),
  'all workers restarted': restartWorkers,
  'read-only items': lockItems,
  'quota exceeded': exceedQuota,
} satisfies Record<string, (cluster: Cluster, random: Seeded) => Promise<void>>;

export type CommonFault = keyof typeof COMMON_FAULTS;

interface Roles {
  readonly ensemble: Ensemble;
  readonly leader: TestServer;
  readonly followers: readonly TestServer[];
}

async function breakEnsemble(cluster: Cluster, kind: string, act: (roles: Roles) => Promise<void>): Promise<void> {
  const { ensemble, faults } = cluster;
  // The ensemble may just have elected a leader by itself.
  await ensemble.untilServing();
  const leader = await ensemble.leader();
  const followers = ensemble.members.filter((member) => member !== leader);
  const healed = faults.open({ kind, victim: undefined, isPause: false, isFatal: false });
  await act({ ensemble, leader, followers });
  await Promise.all(ensemble.members.filter(({ state }) => state === 'down').map((member) => member.launch()));
  await ensemble.untilServing();
  await cluster.noteRegistry();
  healed();
}

/** Kills all workers at the same time. Others take their places. */
async function restartWorkers({ faults, workforce }: Cluster): Promise<void> {
  const victims = workforce.all;
  for (const { name } of victims) {
    faults.open({ kind: 'all workers restarted', victim: name, isPause: false, isFatal: true });
  }
  await Promise.all(victims.map((victim) => workforce.kill(victim)));
  for (const _ of victims) await workforce.join();
}

/** Permissions to read the node and to change its ACL. */
const READ_AND_ADMIN = 17;

/** Makes some items of a job, and their records, read-only, which stops the whole job. */
async function lockItems(cluster: Cluster, random: Seeded): Promise<void> {
  const { faults, options } = cluster;
  const job = random.of(options.jobs);
  const items = Array.from({ length: job.items }, (_, item) => item);
  const locked = items.filter(() => random.next() < 0.5);
  const nodes = locked.flatMap((item) => {
    const path = `/${options.namespace}/${job.name}/sharding/${item}`;
    return [path, `${path}/record`];
  });
  const suffering = { kind: 'read-only items', victim: undefined, isPause: false, isFatal: false };
  const healed = faults.open({ ...suffering, items: { job: job.name, items }, retryMs: RETRY_MS });
  await asOperator(cluster, async (client) => {
    for (const node of nodes) await client.setAcl(node, READ_AND_ADMIN);
    await delay(random.between(1_000, 5_000));
    for (const node of nodes) await client.setAcl(node, ALL_PERMISSIONS);
  });
  healed();
}

/** Lets no node be created or grow below the namespace. */
async function exceedQuota(cluster: Cluster, random: Seeded): Promise<void> {
  const quota = `/zookeeper/quota/${cluster.options.namespace}`;
  const [limits, stats] = [`${quota}/zookeeper_limits`, `${quota}/zookeeper_stats`];
  const suffering = { kind: 'quota exceeded', victim: undefined, isPause: false, isFatal: false };
  const healed = cluster.faults.open({ ...suffering, keepsSession: true, retryMs: RETRY_MS });
  await asOperator(cluster, async (client) => {
    await client.create(quota);
    await client.create(limits, { data: 'count=-1,bytes=-1=;byteHardLimit=1;countHardLimit=1' });
    await client.create(stats, { data: 'count=1,bytes=0' });
    await delay(random.between(1_000, 4_000));
    for (const node of [limits, stats, quota]) await client.remove(node);
  });
  healed();
}

/** Acts on a connection of its own, which no fault of a worker touches. */
async function asOperator({ ensemble }: Cluster, act: (client: RawClient) => Promise<void>): Promise<void> {
  const client = await connectRawClient((await ensemble.leader()).port, { sessionTimeoutMs: 30_000 });
  try {
    await act(client);
  } finally {
    await client.stop();
  }
}
