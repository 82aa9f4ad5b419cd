import type { GuaranteePhase } from '../../domain/index.js';

/**
 * Meaning of a path in a job's tree. `parent`: the parent of the items or servers; `laid`: another node that each job
 * has for as long as it exists; `other`: any other node, known or not.
 */
export type JobNode =
  | {
      readonly kind:
        | 'root'
        | 'config'
        | 'usable-config'
        | 'leader'
        | 'resharding-flag'
        | 'resharding-processing'
        | 'next-instance-ip'
        | 'parent'
        | 'laid'
        | 'after'
        | 'counting-lock'
        | 'other';
    }
  | { readonly kind: 'trigger'; readonly instanceId: string }
  /** Without an item: the whole round. */
  | { readonly kind: 'guarantee'; readonly phase: GuaranteePhase; readonly item: number | undefined }
  | { readonly kind: 'instance' | 'session'; readonly instanceId: string }
  | { readonly kind: 'server'; readonly serverIp: string }
  | { readonly kind: 'queued-item'; readonly item: number }
  | { readonly kind: 'cancel'; readonly item: number }
  | { readonly kind: 'rerun'; readonly id: string }
  | { readonly kind: 'rerun-item'; readonly id: string; readonly item: number }
  | { readonly kind: ItemNodeKind; readonly item: number };

/** Names of the nodes below an item. */
export const ITEM_NODES = [
  'instance',
  'running',
  'misfire',
  'disabled',
  'failover',
  'failovering',
  'record',
  'checkpoint',
  'task',
] as const;
export type ItemNodeName = (typeof ITEM_NODES)[number];
type ItemNodeKind = 'item' | `item-${ItemNodeName}`;

/** A node without a meaning of its own. */
export const OTHER: JobNode = { kind: 'other' };
const ZERO = '0'.charCodeAt(0);

const KINDS: readonly { readonly name: string; readonly kind: ItemNodeKind }[] = ITEM_NODES.map((name) => ({
  name,
  kind: `item-${name}`,
}));

/** Meaning of a node below `guarantee`. */
export function parseGuarantee(phase: string | undefined, itemText: string | undefined): JobNode {
  const item = parseItem(itemText);
  if (phase !== 'started' && phase !== 'completed') return OTHER;
  return itemText === undefined || item !== undefined ? { kind: 'guarantee', phase, item } : OTHER;
}

/** Meaning of a node below `cancel`. */
export function parseCancel(itemText: string | undefined): JobNode {
  const item = parseItem(itemText);
  return item === undefined ? OTHER : { kind: 'cancel', item };
}

/** Meaning of a node below `reruns`. */
export function parseRerunNode(id: string, itemText: string | undefined): JobNode {
  if (itemText === undefined) return { kind: 'rerun', id };
  const item = parseItem(itemText);
  return item === undefined ? OTHER : { kind: 'rerun-item', id, item };
}

/** Item that a node's name stands for; undefined if it stands for none. */
export function parseItem(name: string | undefined): number | undefined {
  return name === undefined ? undefined : itemIn(name, 0, name.length);
}

/** Item that a part of a path stands for. */
function itemIn(path: string, start: number, end: number): number | undefined {
  const isPadded = path[start] === '0' && end - start > 1;
  if (start === end || isPadded) return undefined;
  let item = 0;
  for (let at = start; at < end; at += 1) {
    const digit = path.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    item = item * 10 + digit;
  }
  // A greater number would be rounded and name another node.
  return Number.isSafeInteger(item) ? item : undefined;
}

/**
 * Meaning of a node at or below an item. It cuts no text, since each event of an item is parsed.
 * @param start where the name of the item begins
 */
export function parseItemNode(path: string, start: number): JobNode {
  const end = endOfLevel(path, start);
  const item = itemIn(path, start, end);
  if (item === undefined) return OTHER;
  if (end === path.length) return { kind: 'item', item };
  const length = endOfLevel(path, end + 1) - (end + 1);
  for (const { kind, name } of KINDS) {
    if (name.length === length && path.startsWith(name, end + 1)) return { kind, item };
  }
  return OTHER;
}

function endOfLevel(path: string, start: number): number {
  const end = path.indexOf('/', start);
  return end === -1 ? path.length : end;
}

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
  /** An operator has asked for a re-run or has withdrawn one, or it is over. */
  | { readonly kind: 'RerunChanged'; readonly id: string }
  /** An item has come further with a re-run. */
  | { readonly kind: 'RerunProgressed'; readonly id: string; readonly item: number }
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
      return 'item' in node ? eventOfItem(change, node) : { kind: 'RerunChanged', id: node.id };
  }
}

function eventOfItem(change: Change, node: NodeOfItem): JobTreeEvent | undefined {
  const { kind, item } = node;
  switch (kind) {
    case 'queued-item':
      return change === 'created' ? { kind: 'ItemQueued', item } : undefined;
    case 'cancel':
      return change === 'deleted' ? undefined : { kind: 'CancelRequested', item };
    case 'rerun-item':
      return change === 'deleted' ? undefined : { kind: 'RerunProgressed', id: node.id, item };
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
