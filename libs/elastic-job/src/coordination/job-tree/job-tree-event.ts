/** What the nodes of a job's tree tell, in the order of the registry. An event only wakes; what is true is read after a sync. */
export type JobTreeEvent =
  | { readonly kind: 'InstanceJoined'; readonly instanceId: string }
  | { readonly kind: 'InstanceLost'; readonly instanceId: string }
  | { readonly kind: 'ServerChanged'; readonly serverIp: string }
  | { readonly kind: 'LeaderElected' }
  | { readonly kind: 'LeaderLost' }
  | { readonly kind: 'ReshardingRequested' }
  | { readonly kind: 'ShardingCompleted' }
  | { readonly kind: 'ItemQueued'; readonly item: number }
  | { readonly kind: 'ItemReleased'; readonly item: number }
  | { readonly kind: 'ConfigurationChanged' }
  /** The connection was away: anything may have happened. */
  | { readonly kind: 'TreeReset' };

export type JobTreeEventKind = JobTreeEvent['kind'];
