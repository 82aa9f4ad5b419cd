import type { JobConfiguration, WrittenText } from '../../domain/index.js';
import type { RegistryNode } from '../../registry/index.js';
import { ConfigurationNodeError } from './configuration.errors.js';
import type { ConfigurationDifference } from './lay-configuration.js';

/** What is in force for a job, and where it differs from the local options. */
export interface EffectiveConfiguration {
  readonly configuration: JobConfiguration;
  readonly differences: readonly ConfigurationDifference[];
  /** When the `config` node was last written, in milliseconds since the epoch on the registry's clock. */
  readonly writtenAt: number;
  /** Why the node cannot be used, while `configuration` is that of the last text that could. */
  readonly fault?: unknown;
  /**
   * Why the node cannot be used, if no usable text is kept: nothing of the job may be begun until it is corrected.
   * `configuration` is then what was in force before, or the local one.
   */
  readonly problem?: unknown;
}

/** What was judged: the last writes of both nodes, and by which ACL `config` was somebody else's. */
export interface JudgedNodes {
  readonly mzxid: bigint;
  readonly keptIn: bigint | undefined;
  readonly foreignAcl: string | undefined;
  /** The last text of `config` that could be used, and when it was written. */
  readonly seen: (WrittenText & { readonly writtenAt: number }) | undefined;
}

/** What the settings in force fall back to. */
interface Local {
  readonly configuration: JobConfiguration;
}

/** The local settings, which hold as long as there is no node. */
export function asDeclared({ configuration }: Local): EffectiveConfiguration {
  return { configuration, differences: [], writtenAt: 0 };
}

/** Nothing may be begun; what was in force stays known. */
export function stopped(
  local: Local,
  { stat }: RegistryNode,
  known: EffectiveConfiguration | undefined,
  problem: unknown,
): EffectiveConfiguration {
  const { configuration, differences, writtenAt } = known ?? { ...asDeclared(local), writtenAt: stat.mtime };
  return { configuration, differences, writtenAt, problem };
}

/** A node that others may write is not followed. @param acl says who */
export function notRead(
  local: Local,
  node: RegistryNode,
  known: EffectiveConfiguration | undefined,
  acl: string,
): EffectiveConfiguration {
  const problem = new ConfigurationNodeError(local.configuration.jobName, [
    `its ACL (${acl}) lets others than this client's user write it, so it is not followed: give it to that user alone ` +
      '("setAcl" of zkCli.sh, auth::cdrwa) and write it again',
  ]);
  return stopped(local, node, known, problem);
}
