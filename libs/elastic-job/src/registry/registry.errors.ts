import { ElasticJobError } from '../domain/index.js';

/** The registry did not answer. `fate` says whether the request may nevertheless have been applied. */
export class RegistryUnavailableError extends ElasticJobError {
  readonly code = 'REGISTRY_UNAVAILABLE';

  /**
   * @param operation what was asked, such as `create /settle-orders/config`
   * @param fate `not-applied`: it never left this process; `unknown`: it may have been applied, read before repeating it
   */
  constructor(
    readonly operation: string,
    readonly fate: 'not-applied' | 'unknown',
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${operation}: ${detail}`, options);
  }
}

/** Codes of the server behind which a request may nevertheless have been applied: its own failures, and timeouts. */
const UNCLEAR_CODES: ReadonlySet<number> = new Set([-1, -2, -3, -4, -7]);

/** The registry answered with an error that is none of a node's state: a quota, an overload, an operation it does not offer. */
export class ServerError extends RegistryUnavailableError {
  /** @param serverCode ZooKeeper's number of the error. @see ZooKeeper, `KeeperException.Code` */
  constructor(
    operation: string,
    readonly serverCode: number,
  ) {
    const fate = UNCLEAR_CODES.has(serverCode) ? 'unknown' : 'not-applied';
    super(operation, fate, `the server refused it with code ${serverCode}`);
  }
}

/** The server is too old: it lacks operations without which nothing here works. */
export class UnsupportedServerError extends ElasticJobError {
  readonly code = 'UNSUPPORTED_SERVER';

  constructor(readonly servers: string) {
    super(`The ZooKeeper server of ${servers} is older than version 3.6. Upgrade the ensemble.`);
  }
}

/** The session is over, and with it every ephemeral node and every right to act for it. */
export class SessionLostError extends ElasticJobError {
  readonly code = 'SESSION_LOST';

  constructor(
    readonly sessionId: string | undefined,
    options?: ErrorOptions,
  ) {
    super(`Session ${sessionId ?? '(none)'} is lost; stop work and rejoin as a new instance.`, options);
  }
}

export class NoNodeError extends ElasticJobError {
  readonly code = 'NO_NODE';

  constructor(readonly path: string) {
    super(`${path}: there is no such node, or its parent is missing.`);
  }
}

export class NodeExistsError extends ElasticJobError {
  readonly code = 'NODE_EXISTS';

  constructor(readonly path: string) {
    super(`${path}: the node exists already.`);
  }
}

export class BadVersionError extends ElasticJobError {
  readonly code = 'BAD_VERSION';

  constructor(
    readonly path: string,
    readonly version: number | undefined,
  ) {
    super(
      `${path}: the node is not at version ${version}; somebody else has written it. Read it again and decide anew.`,
    );
  }
}

export class NotEmptyError extends ElasticJobError {
  readonly code = 'NOT_EMPTY';

  constructor(readonly path: string) {
    super(`${path}: the node has children and cannot be deleted.`);
  }
}

/** The node's ACL does not admit this client: usually a wrong or a missing digest. */
export class NoAuthError extends ElasticJobError {
  readonly code = 'NO_AUTH';

  constructor(readonly path: string) {
    super(
      `${path}: access denied by the node's ACL; compare the registry's digest with the one the tree was created with.`,
    );
  }
}

/** An ephemeral node cannot have children. */
export class NoChildrenForEphemeralsError extends ElasticJobError {
  readonly code = 'NO_CHILDREN_FOR_EPHEMERALS';

  constructor(readonly path: string) {
    super(`${path}: its parent is ephemeral and cannot have children.`);
  }
}

/** Refused before sending: a server would answer such a request by closing the connection. */
export class RequestTooLargeError extends ElasticJobError {
  readonly code = 'REQUEST_TOO_LARGE';

  constructor(
    readonly operation: string,
    readonly bytes: number,
    readonly maxBytes: number,
  ) {
    super(`${operation}: ${bytes} bytes are more than the ${maxBytes} that one request may have.`);
  }
}
