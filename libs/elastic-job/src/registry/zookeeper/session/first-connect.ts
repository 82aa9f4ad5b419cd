import { type Clock, Deadline } from '../../../clock/index.js';
import { ConfigurationError, describeRegistry } from '../../../domain/index.js';
import type { RequestOptions } from '../../request-options.js';
import {
  AuthenticationError,
  NoAuthError,
  RegistryUnavailableError,
  UnsupportedServerError,
  UntrustedAclError,
} from '../../registry.errors.js';
import { reasonOf } from '../wire/index.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

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
