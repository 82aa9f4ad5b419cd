import type { JobInstance } from '../cluster/index.js';
import { type ShardingStrategy, singleShardingBalance } from './strategies.js';

/** An instance that may be given items. */
interface Candidate extends JobInstance {
  /** False for a Java peer. */
  readonly isOurs: boolean;
}

/** True for a job whose only item goes round its servers. */
export function goesRound(job: { readonly strategy: ShardingStrategy; readonly shardingTotalCount: number }): boolean {
  return job.strategy.type === singleShardingBalance.type && job.shardingTotalCount === 1;
}

/**
 * The instance id that runs the item next; undefined if none is named, so that the assignment counts.
 *
 * The registry names an address only. Of several instances there the first one in Java's order is next; but each Java
 * instance takes itself for the next one, so ours leave the item to them.
 * @param nextIp the address that the registry names; undefined or blank if it names none
 * @param available in Java's order
 * @see ElasticJob 3.0.5, `SingleShardingJobFacade`
 */
export function nextInstanceOf(nextIp: string | undefined, available: readonly Candidate[]): string | undefined {
  const named = available.filter(({ serverIp }) => serverIp === nextIp);
  return (named.find(({ isOurs }) => !isOurs) ?? named[0])?.jobInstanceId;
}

/**
 * The next address after a run of this instance: that of the next instance with another address, cyclically. Java takes
 * the next instance's address, so two instances of one address would keep the item to themselves.
 * @param available in Java's order
 */
export function nextIpAfter({ jobInstanceId, serverIp }: JobInstance, available: readonly JobInstance[]): string {
  const position = available.findIndex((instance) => instance.jobInstanceId === jobInstanceId);
  const following = [...available.slice(position + 1), ...available];
  return following.find((instance) => instance.serverIp !== serverIp)?.serverIp ?? serverIp;
}
