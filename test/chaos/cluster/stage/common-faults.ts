import { setTimeout as delay } from 'node:timers/promises';
import type { Ensemble, TestServer } from '../../../support/faults/index.js';
import type { Seeded } from '../../../support/seeded.js';
import type { Cluster } from './cluster.js';

/** What is done to everybody. Each resolves when the ensemble serves and the workers are there. */
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
} satisfies Record<string, (cluster: Cluster, random: Seeded) => Promise<void>>;

export type CommonFault = keyof typeof COMMON_FAULTS;

interface Roles {
  readonly ensemble: Ensemble;
  readonly leader: TestServer;
  readonly followers: readonly TestServer[];
}

async function breakEnsemble(
  { ensemble, faults }: Cluster,
  kind: string,
  act: (roles: Roles) => Promise<void>,
): Promise<void> {
  const leader = await ensemble.leader();
  const followers = ensemble.members.filter((member) => member !== leader);
  const healed = faults.open({ kind, victim: undefined, isPause: false, isFatal: false });
  await act({ ensemble, leader, followers });
  await Promise.all(ensemble.members.filter(({ state }) => state === 'down').map((member) => member.launch()));
  await ensemble.untilServing();
  healed();
}

/** SIGKILL for all at the same time; others take their places. */
async function restartWorkers({ faults, workforce }: Cluster): Promise<void> {
  const victims = workforce.all;
  for (const { name } of victims) {
    faults.open({ kind: 'all workers restarted', victim: name, isPause: false, isFatal: true });
  }
  await Promise.all(victims.map((victim) => workforce.kill(victim)));
  for (const _ of victims) await workforce.join();
}
