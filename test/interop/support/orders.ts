import type { PeerKind } from './peer.js';

/** Both orders in which every scenario is run. */
export const ORDERS = [
  { first: 'java', second: 'node' },
  { first: 'node', second: 'java' },
] as const satisfies readonly { readonly first: PeerKind; readonly second: PeerKind }[];
