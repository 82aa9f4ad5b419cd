// One connection to one server, from resolving its name to the end of the socket: frames, the codec of requests and
// replies, handshake and authentication.
export { type AclEntry, type AclId, admitsOthers, describeAcl, idsOfDigest } from './acl.js';
export { connectionBroke, reasonOf, type Link, type LinkListener, type LinkSource, type Opening } from './link.js';
export { type JutePayload, loadJute } from './client-library.js';
export { Connection } from './connection.js';
export {
  type Credentials,
  readTls,
  type TlsFiles,
  type TlsSettings,
  type TlsSource,
  uncheckedBy,
} from './credentials.js';
export { FrameWriter, type SessionTicket } from './frames.js';
export {
  isolated,
  throwLater,
  PendingReplies,
  type Answer,
  type Reply,
  type Request,
  type RequestBody,
} from './request.js';
export { type MultiAnswer, type MultiResult, type NodeFound, type NodeRead, readPieces } from './multi.js';
export {
  errorOf,
  Protocol,
  refusalOf,
  UNAUTHENTICATED,
  UNIMPLEMENTED,
  valueOf,
  type WatchedPaths,
} from './protocol.js';
export { ReplyReader } from './reply-reader.js';
export type { SaslCredentials } from './sasl.js';
export { hostsOf, parseServerList, type ServerAddress } from './servers.js';
