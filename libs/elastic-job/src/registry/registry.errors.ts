import { ElasticJobError } from '../domain/index.js';

/** The registry did not answer. `fate` says whether the request may nevertheless have been applied. */
export class RegistryUnavailableError extends ElasticJobError {
  readonly code = 'REGISTRY_UNAVAILABLE';

  /**
   * @param operation what was asked, such as `create /settle-orders/config`
   * @param fate `not-applied`: it never left this process; `unknown`: it may have been applied, read before repeating
   * it
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

/**
 * Codes with which a server refuses a request that it has not applied. Behind any other, such as a failure or a timeout
 * of the server's own, or a code of a later version, the request may have been applied.
 */
const REFUSED_UNAPPLIED = new Map([
  [-5, 'it could not be read'],
  [-6, 'the server does not offer the operation'],
  [-8, 'its arguments are invalid'],
  [-13, 'a new configuration has no quorum'],
  [-14, 'the ensemble is being reconfigured'],
  [-114, 'its ACL is invalid'],
  [-115, 'the client has failed to authenticate'],
  [-119, 'the server is read-only'],
  [-120, 'a local session cannot have ephemeral nodes'],
  [-121, 'there is no such watch'],
  [-123, 'reconfiguration is disabled'],
  [-124, 'the server asks for SASL authentication'],
  [-125, 'a quota is exceeded'],
  [-127, 'the server is overloaded'],
]);

/** The registry answered with an error that is none of a node's state: a quota, an overload, a failure of its own. */
export class ServerError extends ElasticJobError {
  readonly code = 'SERVER_ERROR';
  /** `not-applied`: the server has refused it; `unknown`: it may have been applied, read before repeating it. */
  readonly fate: 'not-applied' | 'unknown';

  /**
   * @param operation what was asked, such as `create /settle-orders/config`
   * @param serverCode ZooKeeper's number of the error. @see ZooKeeper, `KeeperException.Code`
   * @param path the node at which the request failed, as far as the server tells
   */
  constructor(
    readonly operation: string,
    readonly serverCode: number,
    readonly path?: string,
  ) {
    const reason = REFUSED_UNAPPLIED.get(serverCode);
    super(
      `${operation}: the server answered with code ${serverCode}` +
        `${path === undefined ? '' : ` at ${path}`}; ${reason ?? 'it may have been applied'}.`,
    );
    this.fate = reason === undefined ? 'unknown' : 'not-applied';
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

/** The servers do not accept what this client has shown of itself, or it has shown nothing though they ask for it. */
export class AuthenticationError extends ElasticJobError {
  readonly code = 'AUTHENTICATION';

  constructor(readonly detail: string) {
    super(`The registry does not know this client: ${detail}. See the registry's options digest and sasl.`);
  }
}

/**
 * Others than this client's user may change a node on which its jobs rest, so its digest protects nothing below: they
 * could have put nodes of their own there.
 */
export class UntrustedAclError extends ElasticJobError {
  readonly code = 'UNTRUSTED_ACL';
  /** What is so, without what to do. */
  readonly finding: string;

  /**
   * @param path the server's
   * @param acl as `zkCli.sh` writes it, without the hashes of digests
   */
  constructor(
    readonly path: string,
    readonly acl: string,
  ) {
    const finding = `${path}: its ACL (${acl}) lets others than this client's user change it, so nothing below is safe from them.`;
    super(
      `${finding} Delete it, so that it is made anew, or give it to that user alone: "setAcl -R ${path} auth::cdrwa" of ` +
        "zkCli.sh, after addauth. The registry's option allowOpenAcl lives with it.",
    );
    this.finding = finding;
  }
}

/** The request has failed as a whole, for a reason that is none of a node's state. */
export function isRegistryFailure(error: unknown): error is RegistryUnavailableError | ServerError {
  return error instanceof RegistryUnavailableError || error instanceof ServerError;
}

/** The registry did not say what became of the request: it did not answer, or its own answer leaves that open. */
export function isUnanswered(error: unknown): error is RegistryUnavailableError | ServerError {
  return error instanceof RegistryUnavailableError || (error instanceof ServerError && error.fate === 'unknown');
}

/** The registry answers, and refuses the request as such, whatever the nodes are like. An operator can mend it. */
export function isRefusal(error: unknown): error is ServerError | NoAuthError {
  return error instanceof NoAuthError || (error instanceof ServerError && error.fate === 'not-applied');
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
