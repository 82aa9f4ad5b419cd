/** Java's instances and ours in processes of their own, around one real ZooKeeper. */
export { InteropStage } from './interop-stage.js';
export { RELEASES } from '@test/support/peers/java-build.js';
export { JOB, jobSpec, type JobSpec, NEVER, ONCE_LISTENER } from './job-spec.js';
export { Journal, type PeerEvent } from '@test/support/peers/journal.js';
export { JavaPeer, Peer, type PeerKind } from './peer.js';
export { ORDERS } from './orders.js';
export { Pulse } from './pulse.js';
export { TreeWitness } from '@test/support/peers/tree-witness.js';
export { useInterop, whyNot } from './use-interop.js';
