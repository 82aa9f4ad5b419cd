import type { GuaranteePhase } from '../../domain/index.js';

/** What the nodes of a job's tree tell, in the order of the registry. An event only wakes; what is true is read after a sync. */
export type JobTreeEvent =
  | { readonly kind: 'InstanceJoined'; readonly instanceId: string }
  | { readonly kind: 'InstanceLost'; readonly instanceId: string }
  /** The instance is on its way out: what it runs it ends, but it begins nothing more. */
  | { readonly kind: 'InstanceDraining'; readonly instanceId: string }
  /** The session of an instance of ours is over, or it is done with the job. */
  | { readonly kind: 'SessionEnded'; readonly instanceId: string }
  | { readonly kind: 'ServerChanged'; readonly serverIp: string }
  | { readonly kind: 'LeaderElected' }
  | { readonly kind: 'LeaderLost' }
  | { readonly kind: 'ReshardingRequested' }
  | { readonly kind: 'ShardingCompleted' }
  /** Somebody wants this instance to run the job now. */
  | { readonly kind: 'TriggerRequested'; readonly instanceId: string }
  /** An operator wants a run of the item to be aborted. */
  | { readonly kind: 'CancelRequested'; readonly item: number }
  /** An item has arrived where all wait for each other, or the round is over. */
  | { readonly kind: 'GuaranteeChanged'; readonly phase: GuaranteePhase }
  /** The item of a job that goes round is somebody else's now. */
  | { readonly kind: 'TurnChanged' }
  | { readonly kind: 'ItemQueued'; readonly item: number }
  | { readonly kind: 'ItemReleased'; readonly item: number }
  /** An operator has disabled or enabled an item. */
  | { readonly kind: 'ItemSwitched'; readonly item: number }
  | { readonly kind: 'ConfigurationChanged' }
  /** The connection was away: anything may have happened. */
  | { readonly kind: 'TreeReset' };

export type JobTreeEventKind = JobTreeEvent['kind'];
