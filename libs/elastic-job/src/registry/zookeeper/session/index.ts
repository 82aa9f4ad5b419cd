// Sessions over one link after the other: their states and lease, the watches that are set again on each link, and the
// warnings for an operator.
export {
  DIAL_PAUSES,
  Dialer,
  type DialOptions,
  linksOfThisThread,
  type ConnectionUser,
  keepConnected,
} from './dialer.js';
export { warnOfPlainText, warnOfStandstill } from './warnings.js';
export { askLink, createNamespace, openNamespace } from './open-namespace.js';
export { OwnWrite } from './own-write.js';
export { SessionRequests, SharedReads } from './session-requests.js';
export { Session } from './session.js';
export type { NodeEventKind, OwnEventKind, Watcher } from './watches.js';
