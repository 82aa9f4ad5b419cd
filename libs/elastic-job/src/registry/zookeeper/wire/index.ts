// One connection to one server, from resolving its name to the end of the socket: frames, the codec of requests and
// replies, handshake and authentication.
export { type AclEntry, type AclId, admitsOthers, describeAcl, idsOfDigest } from './acl.js';
export { connectionBroke, reasonOf } from './broken-connection.js';
export { type JutePayload, loadJute } from './client-library.js';
export { Connection } from './connection.js';
export type { Credentials } from './credentials.js';
export { FrameWriter, type SessionTicket } from './handshake.js';
export { isolated, throwLater } from './isolated.js';
export type { Link, LinkListener, LinkSource, Opening } from './link.js';
export { type MultiAnswer, type MultiResult, type NodeFound, type NodeRead, readPieces } from './multi.js';
export { PendingReplies } from './pending-replies.js';
export { Protocol, refusalOf, UNAUTHENTICATED, UNIMPLEMENTED, type WatchedPaths } from './protocol.js';
export { ReplyReader } from './reply-reader.js';
export type { Answer, Reply, Request, RequestBody } from './request.js';
export type { SaslCredentials } from './sasl.js';
export { hostsOf, parseServerList, type ServerAddress } from './server-list.js';
export { readTls, type TlsFiles, type TlsSettings, type TlsSource, uncheckedBy } from './tls-source.js';
