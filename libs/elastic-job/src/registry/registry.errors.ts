import { ElasticJobError } from '../domain/index.js';

/**
 * The registry did not answer. `fate` tells if the request may have been applied all the same.
 * @remarks Check the ensemble and the network. If `fate` is `unknown`, read before you repeat the request.
 */
export class RegistryUnavailableError extends ElasticJobError {
  readonly code = 'REGISTRY_UNAVAILABLE';

  /**
   * @param operation the request, such as `create /settle-orders/config`
   * @param fate `not-applied`: it never left this process; `unknown`: it may have been applied, so read before
   * repeating it
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
 * Codes of requests that the server has not applied. With any other code, such as a failure or timeout inside the
 * server, or a code of a later version, the request may have been applied.
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

/**
 * The registry answered with an error that is not about a node's state: a quota, an overload, an internal failure.
 * @remarks Look up the code, and look into the server's log. If `fate` is `unknown`, read before you repeat the
 * request.
 */
export class ServerError extends ElasticJobError {
  readonly code = 'SERVER_ERROR';
  /** `not-applied`: the server refused it; `unknown`: it may have been applied, so read before repeating it. */
  readonly fate: 'not-applied' | 'unknown';

  /**
   * @param operation the request, such as `create /settle-orders/config`
   * @param serverCode ZooKeeper's error number
   * @param path the node at which the request failed, if the server tells
   * @see ZooKeeper, `KeeperException.Code`
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

/**
 * The server is too old: it lacks operations that this library needs (ZooKeeper 3.6 and later have them).
 * @remarks Upgrade the ensemble to ZooKeeper 3.6 or later.
 */
export class UnsupportedServerError extends ElasticJobError {
  readonly code = 'UNSUPPORTED_SERVER';

  constructor(readonly servers: string) {
    super(`The ZooKeeper server of ${servers} is older than version 3.6. Upgrade the ensemble.`);
  }
}

/**
 * The session is over, and with it all its ephemeral nodes and every right to act for it.
 * @remarks Stop the work. The process joins again with a new session by itself; look for pauses and network faults.
 */
export class SessionLostError extends ElasticJobError {
  readonly code = 'SESSION_LOST';

  constructor(
    readonly sessionId: string | undefined,
    options?: ErrorOptions,
  ) {
    super(
      sessionId === undefined
        ? 'There is no session of the registry; ask after app.init() or app.listen(), or once it is back.'
        : `There is no session of the registry: ${sessionId} is lost, and its work ends; try again when there is one.`,
      options,
    );
  }
}

/**
 * A node, or the parent of one to create, does not exist.
 * @remarks Check the path and the namespace. Create the parent first if the node was to be created.
 */
export class NoNodeError extends ElasticJobError {
  readonly code = 'NO_NODE';

  constructor(readonly path: string) {
    super(`${path}: there is no such node, or its parent is missing.`);
  }
}

/**
 * A node to create exists already.
 * @remarks Read the node that exists, and decide what becomes of it.
 */
export class NodeExistsError extends ElasticJobError {
  readonly code = 'NODE_EXISTS';

  constructor(readonly path: string) {
    super(`${path}: the node exists already.`);
  }
}

/**
 * The node is not at the version that the request named: another client has written it.
 * @remarks Read the node again and decide anew; another client has written it since.
 */
export class BadVersionError extends ElasticJobError {
  readonly code = 'BAD_VERSION';

  constructor(
    readonly path: string,
    readonly version: number | undefined,
  ) {
    super(`${path}: the node is not at version ${version}; another client has written it. Read it again, then decide.`);
  }
}

/**
 * A node to delete has children.
 * @remarks Delete the children first.
 */
export class NotEmptyError extends ElasticJobError {
  readonly code = 'NOT_EMPTY';

  constructor(readonly path: string) {
    super(`${path}: the node has children and cannot be deleted.`);
  }
}

/**
 * The node's ACL does not admit this client, usually because of a wrong or missing digest.
 * @remarks Compare the registry's `digest` or `sasl` with the user that the tree was created with.
 */
export class NoAuthError extends ElasticJobError {
  readonly code = 'NO_AUTH';

  constructor(readonly path: string) {
    super(
      `${path}: access denied by the node's ACL; compare the registry's digest with the one the tree was created with.`,
    );
  }
}

/**
 * The servers refused this client's credentials, or require some and got none.
 * @remarks Compare the registry's options `digest` and `sasl` with the users that the servers know.
 */
export class AuthenticationError extends ElasticJobError {
  readonly code = 'AUTHENTICATION';

  constructor(readonly detail: string) {
    super(`The registry refused this client: ${detail}. Check the registry's options digest and sasl.`);
  }
}

/**
 * Users other than this client's may change a node on which its jobs rest. The digest then protects nothing below that
 * node, as they could have put nodes of their own there.
 * @remarks Delete the node, so that it is created again, or restrict it with `setAcl`. `allowOpenAcl` accepts it as it
 *   is.
 */
export class UntrustedAclError extends ElasticJobError {
  readonly code = 'UNTRUSTED_ACL';
  /** The problem alone, without the advice. */
  readonly finding: string;

  /**
   * @param path the server's path
   * @param acl as `zkCli.sh` writes it, without the hashes of digests
   */
  constructor(
    readonly path: string,
    readonly acl: string,
  ) {
    const finding =
      `${path}: its ACL (${acl}) lets others than this client's user change it, so they may ` +
      'have changed anything below it.';
    super(
      `${finding} Delete the node, so that it is created again, or restrict it: "setAcl -R ${path} auth::cdrwa" in ` +
        "zkCli.sh, after addauth. The registry's option allowOpenAcl accepts it as it is.",
    );
    this.finding = finding;
  }
}

/** The request failed as a whole, for a reason other than a node's state. */
export function isRegistryFailure(error: unknown): error is RegistryUnavailableError | ServerError {
  return error instanceof RegistryUnavailableError || error instanceof ServerError;
}

/** The request may have been applied, though the caller got no answer that says so. */
export function mayBeApplied(error: unknown): boolean {
  return isRegistryFailure(error) && error.fate === 'unknown';
}

/** The fate of the request is unknown: the registry did not answer, or its answer leaves the fate open. */
export function isUnanswered(error: unknown): error is RegistryUnavailableError | ServerError {
  return error instanceof RegistryUnavailableError || (error instanceof ServerError && error.fate === 'unknown');
}

/** The registry answers, but refuses the request regardless of the nodes' state. An operator can fix the cause. */
export function isRefusal(error: unknown): error is ServerError | NoAuthError {
  return error instanceof NoAuthError || (error instanceof ServerError && error.fate === 'not-applied');
}

/**
 * An ephemeral node cannot have children.
 * @remarks Choose a parent that is not ephemeral.
 */
export class NoChildrenForEphemeralsError extends ElasticJobError {
  readonly code = 'NO_CHILDREN_FOR_EPHEMERALS';

  constructor(readonly path: string) {
    super(`${path}: its parent is ephemeral and cannot have children.`);
  }
}

/**
 * Refused before sending, since a server would answer such a request by closing the connection.
 * @remarks Write less at once. Raise `maxRequestBytes` only together with the servers' `jute.maxbuffer`.
 */
export class RequestTooLargeError extends ElasticJobError {
  readonly code = 'REQUEST_TOO_LARGE';

  constructor(
    readonly operation: string,
    readonly bytes: number,
    readonly maxBytes: number,
  ) {
    super(`${operation}: the request has ${bytes} bytes; at most ${maxBytes} are allowed.`);
  }
}
