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
