import { setTimeout as delay } from 'node:timers/promises';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import type { FaultProxy, TestServer } from '@test/support/faults/index.js';
import type { ZooKeeperProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import type { Seeded } from '@test/support/seeded.js';

/** A client and its own link. */
interface Victim {
  readonly client: RegistryCenter;
  readonly link: FaultProxy;
}

export interface Field {
  readonly server: TestServer;
  /** Between all links and the server. */
  readonly front: ZooKeeperProxy;
  readonly victims: readonly Victim[];
  readonly sessionTimeoutMs: number;
}

const KINDS = ['cut', 'expiry', 'pause of a link', 'pause of the server', 'restart'] as const;
export type FaultKind = (typeof KINDS)[number];
/** Out of a hundred. */
const SHARES: Readonly<Record<FaultKind, number>> = {
  cut: 62,
  expiry: 15,
  'pause of a link': 12,
  'pause of the server': 6,
  restart: 5,
};
const LONGEST_CALM_MS = 60;

/**
 * Breaks something that many times, one after the other. Links may still be paused meanwhile.
 * @returns the number of faults of each kind
 */
export async function breakAtRandom(
  field: Field,
  faults: number,
  random: Seeded,
): Promise<Readonly<Record<FaultKind, number>>> {
  const count = { cut: 0, expiry: 0, 'pause of a link': 0, 'pause of the server': 0, restart: 0 };
  const healing: Promise<void>[] = [];
  for (let n = 0; n < faults; n += 1) {
    const kind = kindOf(random.below(100));
    count[kind] += 1;
    await breakOnce(kind, field, random, healing);
    await delay(random.between(0, LONGEST_CALM_MS));
  }
  await Promise.all(healing);
  return count;
}

function kindOf(percent: number): FaultKind {
  let left = percent;
  return KINDS.find((kind) => (left -= SHARES[kind]) < 0)!;
}

async function breakOnce(kind: FaultKind, field: Field, random: Seeded, healing: Promise<void>[]): Promise<void> {
  const { server, victims, front, sessionTimeoutMs } = field;
  const { client, link } = random.of(victims);
  switch (kind) {
    case 'cut':
      return link.cut();
    case 'expiry':
      if (client.session.id) await front.expire(client.session.id);
      return;
    case 'pause of a link':
      link.blackhole(random.of(['both', 'toServer', 'toClient'] as const));
      healing.push(healAfter(random.between(0, 1.5 * sessionTimeoutMs), link));
      return;
    case 'pause of the server':
      server.pause();
      // Most pauses are short; some outlast every session.
      await delay(random.next() ** 3 * 1.3 * sessionTimeoutMs);
      return server.resume();
    case 'restart':
      if (random.next() < 0.5) await server.kill();
      return server.restart();
    default:
      return kind satisfies never;
  }
}

async function healAfter(ms: number, link: FaultProxy): Promise<void> {
  await delay(ms);
  await link.heal();
}
