import type { INestApplicationContext } from '@nestjs/common';
import { REGISTRY_CENTER, type ShardingContext } from '@app/elastic-job';
import { MemoryRegistry, type RegistryCenter } from '@app/elastic-job/registry';
import { SystemClock } from '@app/elastic-job/spi';
import { startInstance } from './instance.js';
import { perform, type Stage } from './stage.js';

const LIMIT_MS = 55_000;
/** Writes of B before it is cut off: it has begun all of its items, and finished none. */
const WRITES_BEFORE_THE_CUT = 6;

await perform(':memory:', LIMIT_MS, playEmbedded);
// The remains of a failed play must not keep the process alive.
process.exit();

/**
 * Instances A, B and C in this process, over one embedded registry. B is cut off in mid-run: its session ends, and B
 * does not notice. D joins late.
 */
async function playEmbedded({ ledger, database, isComplete, hear, tell }: Stage): Promise<void> {
  const server = new MemoryRegistry(new SystemClock());
  const start = (instance: string, beforeWrite?: (context: ShardingContext) => Promise<void>) =>
    startInstance({ registry: { type: 'memory', server }, drainTimeoutMs: 2_000 }, database, {
      instance,
      hear,
      beforeWrite,
    });

  let isCutOff = false;
  // The zombie is slow: it continues with an item only when another instance has already written for it.
  const lagBehind = async ({ shardingItem, token }: ShardingContext) => {
    if (!isCutOff) return;
    const isTakenOver = () => BigInt(ledger.newestWrite(shardingItem)?.token ?? 0) > token!;
    await ledger.until(`item ${shardingItem} of the zombie is taken over`, isTakenOver);
  };

  const [a, b, c] = await Promise.all([start('A'), start('B', lagBehind), start('C')]);
  const instances = [a, b, c];
  try {
    await ledger.until('B is in mid-run', () => ledger.writes('B').length >= WRITES_BEFORE_THE_CUT);
    const sessionId = sessionOf(b);
    isCutOff = true;
    server.cutOff(sessionId);
    tell('B is cut off: its session is over, B does not know and goes on writing.');

    await ledger.until('a stale write is refused', () => ledger.refused > 0);
    tell('A write of B was refused: its items are in other hands.');

    instances.push(await start('D'));
    tell('D has joined.');
    isCutOff = false;
    server.heal(sessionId);
    await ledger.until('B has joined again', () => ledger.hasJoined('B again'));
    tell('B has learnt of it, and joined again as a new instance.');

    await ledger.until('D has counted cities', () => ledger.added('D') > 0);
    await ledger.until('all cities are counted', isComplete);
  } finally {
    await Promise.all(instances.map((instance) => instance.close()));
  }
}

function sessionOf(instance: INestApplicationContext): string {
  const registry: RegistryCenter = instance.get(REGISTRY_CENTER);
  return registry.session.id!;
}
