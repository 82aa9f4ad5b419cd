// Sessions over one link after the other: their states and lease, the watches that are set again on each link, and the
// warnings for an operator.
export { DIAL_PAUSES, Dialer, type DialOptions, linksOfThisThread } from './dialer.js';
export { warnOfStandstill } from './loop-watch.js';
export { askLink, createNamespace, openNamespace } from './open-namespace.js';
export { OwnWrite } from './own-write.js';
export { warnOfPlainText } from './plain-text.js';
export { SessionRequests } from './session-requests.js';
export { Session } from './session.js';
export { SharedReads } from './shared-reads.js';
export { type ConnectionUser, keepConnected } from './upkeep.js';
export { Warnings } from './warnings.js';
export type { NodeEventKind, OwnEventKind, Watcher } from './watches.js';
