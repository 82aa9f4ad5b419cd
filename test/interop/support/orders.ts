import type { PeerKind } from './peer.js';

/** Every scenario is shown both ways. */
export const ORDERS = [
  { first: 'java', second: 'node' },
  { first: 'node', second: 'java' },
] as const satisfies readonly { readonly first: PeerKind; readonly second: PeerKind }[];
