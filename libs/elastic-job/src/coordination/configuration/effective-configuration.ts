import { isDeepStrictEqual } from 'node:util';
import {
  type CheckProps,
  type JobConfiguration,
  type JobName,
  type PropTargets,
  type ResolvedTemplateLimits,
  type ShardingStrategy,
  strategyBesideJava,
  type TaskLife,
  type WrittenText,
} from '../../domain/index.js';
import type { RegistryNode } from '../../registry/index.js';
import type { ConfigurationDifference } from './configuration-differences.js';
import { ConfigurationNodeError } from './parse-configuration.js';

/** A job as declared in this process. */
export interface LocalJob {
  readonly configuration: JobConfiguration;
  /** Text of the job's root node: Java's job class name. */
  readonly className: string;
  /** For a job created from a template: the czxid of its root, which tells it from a later job of the same name. */
  readonly createdAs?: bigint;
  /** Place of the job's declaration, for messages: `OrderJobs.settle`. */
  readonly place: string;
  /** Finds faults in the props of the job's work, which make settings unusable. */
  readonly findPropsFaults?: CheckProps;
  /** For a job created from a template: settings beyond these limits are unusable. @default none */
  readonly limits?: ResolvedTemplateLimits;
  /** Props that decide what the job's work runs. @default none */
  readonly targets?: PropTargets;
  /** Types of its listeners that distribute once. @default none */
  readonly onceListenerTypes?: readonly string[];
  /** Set if tasks do the job's work. @default the handler does */
  readonly tasks?: TaskLife;
}

/** Checks a job's total. @throws {ConfigurationError} if the registry cannot hold so many items */
export type AssertFits = (job: { jobName: JobName; place: string; shardingTotalCount: number }) => void;

/** Settings in force for a job, and their differences from the local options. */
export interface EffectiveConfiguration {
  readonly configuration: JobConfiguration;
  readonly differences: readonly ConfigurationDifference[];
  /** @see LaidConfiguration */
  readonly javaListenerTypes: readonly string[];
  /** @see LaidConfiguration */
  readonly javaStrategy: ShardingStrategy;
  /** @see LaidConfiguration */
  readonly ownStrategy?: string;
  /**
   * Since when these settings say which fire times are owed, in milliseconds since the epoch on the registry's clock:
   * the last write of the `config` node that this process knows to have changed that.
   */
  readonly writtenAt: number;
  /** Error of the unusable node, while `configuration` comes from the last usable text. */
  readonly fault?: unknown;
  /**
   * Error of the unusable node if no usable text is kept: nothing of the job may begin until it is corrected.
   * `configuration` is then the former one, or the local one.
   */
  readonly problem?: unknown;
}

/** Version of both nodes that was judged, and the ACL by which `config` was foreign. */
export interface JudgedNodes {
  readonly czxid: bigint;
  readonly version: number;
  readonly mzxid: bigint;
  readonly keptIn: bigint | undefined;
  readonly foreignAcl: string | undefined;
  /** Last usable text of `config`, with the time of its write. */
  readonly seen: (WrittenText & { readonly writtenAt: number }) | undefined;
}

/** Settings that say which fire times an item owes. An edit of the others takes none from it. */
const OWING = [
  'cron',
  'timeZone',
  'clockChange',
  'after',
  'shardingTotalCount',
  'monitorExecution',
  'resident',
  'misfire',
  'misfirePolicy',
  'misfireLimit',
] as const satisfies readonly (keyof JobConfiguration)[];

/**
 * The time since which the settings of a node say what is owed: the former one, if they are the same in that. Only if
 * no edit can have come unseen in between, since two edits there and back would look like none.
 */
export function owedSince(
  { configuration, writtenAt }: EffectiveConfiguration,
  node: RegistryNode,
  former: (EffectiveConfiguration & JudgedNodes) | undefined,
): number {
  if (former?.seen === undefined || !follows(node, former, former.seen)) return writtenAt;
  const isSame = OWING.every((name) => isDeepStrictEqual(configuration[name], former.configuration[name]));
  return isSame ? former.writtenAt : writtenAt;
}

/** True if the node was written at most once since it was judged, or was laid again with its last usable text. */
function follows({ data, stat }: RegistryNode, { czxid, version }: JudgedNodes, seen: WrittenText): boolean {
  return stat.czxid === czxid ? stat.version <= version + 1 : stat.version === 0 && data === seen.text;
}

/** Shared, since a process has thousands of jobs. */
const NONE: readonly never[] = [];

/** Local settings, which apply while there is no node. */
export function asDeclared({ configuration }: LocalJob): EffectiveConfiguration {
  // A node is written soon, and names the strategy.
  const javaStrategy = strategyBesideJava(configuration.strategy, true);
  return { configuration, differences: NONE, javaListenerTypes: NONE, javaStrategy, writtenAt: 0 };
}

/** Settings when nothing may begin: the former ones stay known. */
export function stopped(
  local: LocalJob,
  { stat }: RegistryNode,
  known: EffectiveConfiguration | undefined,
  problem: unknown,
): EffectiveConfiguration {
  const former = known ?? { ...asDeclared(local), writtenAt: stat.mtime };
  const { configuration, differences, javaListenerTypes, javaStrategy, writtenAt } = former;
  return { configuration, differences, javaListenerTypes, javaStrategy, writtenAt, problem };
}

/** Settings when others may write the node, which is then not followed. @param acl names the others */
export function notRead(
  local: LocalJob,
  node: RegistryNode,
  known: EffectiveConfiguration | undefined,
  acl: string,
): EffectiveConfiguration {
  const problem = new ConfigurationNodeError(local.configuration.jobName, [
    `its ACL (${acl}) lets others than this client's user write it, so it is not followed: give it to that user ` +
      'alone ("setAcl" of zkCli.sh, auth::cdrwa) and write it again',
  ]);
  return stopped(local, node, known, problem);
}
