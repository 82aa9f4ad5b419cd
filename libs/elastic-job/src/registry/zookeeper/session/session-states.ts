import { type Clock, Deadline, waitFor } from '../../../clock/index.js';
import { ConfigurationError, describeRegistry, Listeners } from '../../../domain/index.js';
import type { RequestOptions, SessionInfo } from '../../registry-center.js';
import {
  AuthenticationError,
  NoAuthError,
  RegistryUnavailableError,
  UnsupportedServerError,
  UntrustedAclError,
} from '../../registry.errors.js';
import { isolated, reasonOf } from '../wire/index.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

/** The present state of the session, and the listeners for its changes. */
export class SessionStates {
  private readonly listeners = new Listeners<(session: SessionInfo) => void>();

  constructor(public info: SessionInfo) {}

  /** @returns a function that removes the listener */
  onChange(listener: (session: SessionInfo) => void): () => void {
    return this.listeners.add(listener);
  }

  /** Resolves at the next change. Those who wait for it have limits of their own. */
  async next(): Promise<void> {
    await waitFor((goOn) => this.onChange(goOn));
  }

  /** Sets the state, and calls the listeners if it differs. */
  become(change: Partial<SessionInfo>): void {
    const before = this.info.state;
    const info = { ...this.info, ...change };
    this.info = info;
    if (info.state === before) return;
    // A listener that is added by another one receives only the next change.
    this.listeners.forEach((listener) => isolated(() => listener(info)));
  }
}

/** Errors that waiting does not cure. */
const LASTING = [AuthenticationError, ConfigurationError, NoAuthError, UnsupportedServerError, UntrustedAclError];

/**
 * The first session, for which a caller waits. Attempts go on until one succeeds or waiting makes no sense any more.
 */
export class FirstConnect {
  /** Error of the last attempt. */
  private problem: unknown;
  private end: (error?: Error) => void = () => {};

  constructor(
    private readonly options: ResolvedZooKeeperOptions,
    private readonly clock: Clock,
  ) {}

  succeeded(): void {
    this.end();
  }

  /** Records a failed attempt. */
  failed(cause: unknown): void {
    this.problem = cause;
    if (cause instanceof Error && LASTING.some((kind) => cause instanceof kind)) this.end(cause);
  }

  /**
   * Waits for the session.
   * @param closed aborts when the client is closed
   * @throws {RegistryUnavailableError} if the session did not come in time
   * @throws the error that waiting does not cure
   * @throws the signal's reason
   */
  wait(closed: AbortSignal, options: RequestOptions = {}): Promise<void> {
    const timeoutMs = options.timeoutMs ?? this.options.connectionTimeoutMs;
    const connected = new Promise<void>((resolve, reject) => {
      this.end = (error) => (error ? reject(error) : resolve());
      closed.addEventListener('abort', () => reject(this.error('this registry center was closed')));
    });
    const late = (): never => {
      throw this.error(`no answer within ${timeoutMs} ms`);
    };
    return Deadline.after(this.clock, timeoutMs).bounds(connected, late, options.signal);
  }

  private error(why: string): RegistryUnavailableError {
    const { serverList, namespace } = this.options;
    const problem = this.problem === undefined ? 'no attempt has ended' : reasonOf(this.problem);
    const detail = `no session with ${describeRegistry(serverList, namespace.name)}: ${why}; ${problem}`;
    return new RegistryUnavailableError('connect', 'not-applied', detail, { cause: this.problem });
  }
}

/** Most reasons that are reported for one time without a session. */
const MOST_REPORTED = 10;

/**
 * Reasons why attempts to connect fail. Until a session is there again each is reported once, however many servers and
 * attempts there are.
 */
export class ConnectProblem {
  /** The latest reason; undefined while there is a session. */
  text: string | undefined;
  private readonly reported = new Set<string>();

  /** @param report called with a reason that was not reported yet */
  constructor(private readonly report: (reason: string) => void) {}

  /** @param isReported false notes the reason only */
  failed(reason: string, isReported: boolean): void {
    this.text = reason;
    // Time limits and ports differ from one attempt to the next.
    const kind = reason.replaceAll(/\d+/g, '#');
    if (!isReported || this.reported.has(kind) || this.reported.size >= MOST_REPORTED) return;
    this.reported.add(kind);
    this.report(reason);
  }

  solved(): void {
    this.text = undefined;
    this.reported.clear();
  }
}
