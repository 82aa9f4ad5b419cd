import type { GuaranteePhase } from '../../domain/index.js';
import type { JobNode } from './job-node.js';

/**
 * Events of the nodes of a job's tree, in the order of the registry. An event only wakes; the state must be read after
 * a sync.
 */
export type JobTreeEvent =
  | { readonly kind: 'InstanceJoined'; readonly instanceId: string }
  | { readonly kind: 'InstanceLost'; readonly instanceId: string }
  /** The instance is leaving: it ends its runs but begins nothing more. */
  | { readonly kind: 'InstanceDraining'; readonly instanceId: string }
  /** An instance of ours has reported the offset of its clock from the registry's. */
  | { readonly kind: 'ClockReported'; readonly instanceId: string }
  /** The session of an instance of ours is over, or it has left the job. */
  | { readonly kind: 'SessionEnded'; readonly instanceId: string }
  | { readonly kind: 'ServerChanged'; readonly serverIp: string }
  | { readonly kind: 'LeaderElected' }
  | { readonly kind: 'LeaderLost' }
  | { readonly kind: 'ReshardingRequested' }
  | { readonly kind: 'ShardingCompleted' }
  /** An operator asks this instance to run the job now. */
  | { readonly kind: 'TriggerRequested'; readonly instanceId: string }
  /** An operator asks for a run of the item to be aborted. */
  | { readonly kind: 'CancelRequested'; readonly item: number }
  /** An item has arrived at a barrier, or the round is over. */
  | { readonly kind: 'GuaranteeChanged'; readonly phase: GuaranteePhase }
  /** The item of a job that goes round has another owner now. */
  | { readonly kind: 'NextInstanceChanged' }
  | { readonly kind: 'ItemQueued'; readonly item: number }
  /** An instance runs the item now, has taken it over, or claims so. */
  | { readonly kind: 'ItemMarked'; readonly item: number }
  | { readonly kind: 'ItemReleased'; readonly item: number }
  /** Parent jobs have made progress, so this one may have been started; or the record of it is gone. */
  | { readonly kind: 'StartsChanged' }
  /** No instance holds the counting lock any more. */
  | { readonly kind: 'CountingLockReleased' }
  /** An operator has disabled or enabled an item. */
  | { readonly kind: 'ItemSwitched'; readonly item: number }
  /** An item has another owner, from a plan or by hand. */
  | { readonly kind: 'OwnerChanged'; readonly item: number }
  /** An item, its owner, or the parent of all items is gone, by a plan or by hand. */
  | { readonly kind: 'PlanDamaged' }
  /** A node that each job has is gone: somebody has deleted it by hand. */
  | { readonly kind: 'NodeLost' }
  /** A node that each job has is there again. */
  | { readonly kind: 'NodeLaid' }
  /** The job is about to be removed, or is gone. */
  | { readonly kind: 'RootChanged' }
  | { readonly kind: 'ConfigurationChanged' }
  /** The usable text that is in force, while that of `config` is not usable, has changed. */
  | { readonly kind: 'ConfigurationKept' }
  /** The connection was lost meanwhile, so anything may have changed. */
  | { readonly kind: 'TreeReset' };

export type JobTreeEventKind = JobTreeEvent['kind'];

type Change = 'created' | 'changed' | 'deleted';
type NodeOfItem = Extract<JobNode, { readonly item: number }>;

/** Events of nodes that each job has. */
const LAID: Readonly<Record<Change, JobTreeEvent | undefined>> = {
  created: { kind: 'NodeLaid' },
  changed: undefined,
  deleted: { kind: 'NodeLost' },
};

/** Event for the job that a node's change causes; undefined if no duty needs one. */
export function eventOf(change: Change, node: JobNode): JobTreeEvent | undefined {
  switch (node.kind) {
    case 'instance':
      if (change === 'changed') return undefined;
      return { kind: change === 'created' ? 'InstanceJoined' : 'InstanceLost', instanceId: node.instanceId };
    case 'session':
      if (change === 'created') return undefined;
      return { kind: change === 'changed' ? 'InstanceDraining' : 'SessionEnded', instanceId: node.instanceId };
    case 'server':
      return { kind: 'ServerChanged', serverIp: node.serverIp };
    case 'leader':
      return { kind: change === 'deleted' ? 'LeaderLost' : 'LeaderElected' };
    case 'resharding-flag':
    case 'resharding-processing':
      return { kind: change === 'deleted' ? 'ShardingCompleted' : 'ReshardingRequested' };
    case 'trigger':
      return change === 'created' ? { kind: 'TriggerRequested', instanceId: node.instanceId } : undefined;
    case 'guarantee':
      return { kind: 'GuaranteeChanged', phase: node.phase };
    case 'next-instance-ip':
      return change === 'deleted' ? undefined : { kind: 'NextInstanceChanged' };
    case 'after':
      return { kind: 'StartsChanged' };
    case 'counting-lock':
      return change === 'deleted' ? { kind: 'CountingLockReleased' } : undefined;
    case 'root':
      return change === 'created' ? undefined : { kind: 'RootChanged' };
    case 'config':
    case 'usable-config':
      return { kind: node.kind === 'config' ? 'ConfigurationChanged' : 'ConfigurationKept' };
    case 'parent':
      return change === 'deleted' ? { kind: 'PlanDamaged' } : undefined;
    case 'laid':
      return LAID[change];
    case 'other':
      return undefined;
    default:
      return eventOfItem(change, node);
  }
}

function eventOfItem(change: Change, { kind, item }: NodeOfItem): JobTreeEvent | undefined {
  switch (kind) {
    case 'queued-item':
      return change === 'created' ? { kind: 'ItemQueued', item } : undefined;
    case 'cancel':
      return change === 'deleted' ? undefined : { kind: 'CancelRequested', item };
    case 'item-running':
      return { kind: change === 'deleted' ? 'ItemReleased' : 'ItemMarked', item };
    case 'item-failover':
    case 'item-failovering':
      return change === 'deleted' ? undefined : { kind: 'ItemMarked', item };
    case 'item-disabled':
      return change === 'changed' ? undefined : { kind: 'ItemSwitched', item };
    case 'item-instance':
      if (change === 'changed') return { kind: 'OwnerChanged', item };
      return change === 'deleted' ? { kind: 'PlanDamaged' } : undefined;
    case 'item':
      return change === 'deleted' ? { kind: 'PlanDamaged' } : undefined;
    case 'item-misfire':
    case 'item-record':
    case 'item-checkpoint':
    case 'item-task':
      return undefined;
    default:
      return kind satisfies never;
  }
}
