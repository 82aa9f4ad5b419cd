import { type Clock, Deadline } from '../../../clock/index.js';
import type { RequestOptions } from '../../request-options.js';
import { RegistryUnavailableError } from '../../registry.errors.js';
import type { Lease } from '../../session-lease.js';
import { type Answer, connectionBroke, type Reply, type Request } from '../wire/index.js';
import type { Session } from './session.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

/**
 * Requests of a session that a caller waits for, each within its deadline. They go over the current connection, and
 * fail at once without one. Only while a server is being asked because the clock was set forward do they wait for its
 * answer.
 */
export class SessionRequests {
  constructor(
    private readonly session: Session,
    private readonly lease: Lease,
    private readonly options: Pick<ResolvedZooKeeperOptions, 'requestTimeoutMs'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a request once.
   * @throws {RegistryUnavailableError}
   * @throws {SessionLostError}
   * @throws the signal's reason
   */
  async ask<T>(operation: string, request: Request<T>, options?: RequestOptions): Promise<Reply<T>> {
    const answer = await this.answerTo(operation, request, options);
    if (answer.kind !== 'dropped') return answer;
    throw connectionBroke(operation, answer);
  }

  /**
   * Sends a request that changes nothing. If the connection breaks, sends it again over the next one while the session
   * lives.
   * @throws {RegistryUnavailableError}
   * @throws {SessionLostError}
   * @throws the signal's reason
   */
  async askRead<T>(operation: string, request: Request<T>, options?: RequestOptions): Promise<Reply<T>> {
    const deadline = Deadline.after(this.clock, this.timeoutMsOf(options));
    const { id } = this.session.info;
    let answer = await this.answerTo(operation, request, options);
    while (answer.kind === 'dropped') {
      const left = { ...options, timeoutMs: Math.round(deadline.leftMs) };
      await this.bounded(operation, this.session.regained(id), left);
      answer = await this.answerTo(operation, request, left);
    }
    return answer;
  }

  /** Waits for `work`, at most as long as the options, or the default, allow. */
  bounded<T>(operation: string, work: Promise<T>, options?: RequestOptions): Promise<T> {
    const timeoutMs = this.timeoutMsOf(options);
    const late = (): never => {
      this.session.checkLease();
      throw new RegistryUnavailableError(operation, 'unknown', `no answer within ${timeoutMs} ms`);
    };
    return Deadline.after(this.clock, timeoutMs).bounds(work, late, options?.signal);
  }

  private timeoutMsOf(options?: RequestOptions): number {
    return options?.timeoutMs ?? this.options.requestTimeoutMs;
  }

  private async answerTo<T>(operation: string, request: Request<T>, options?: RequestOptions): Promise<Answer<T>> {
    options?.signal?.throwIfAborted();
    if (this.lease.remainingMs() === 0) await this.askAnew(operation, options);
    const connection = this.session.usable(operation);
    this.session.traffic.foreground += 1;
    return this.bounded(operation, connection.ask(request), options);
  }

  /** Judges the session by its lease. If that needs a server's answer, waits for it, for 2 s at most. */
  private async askAnew(operation: string, options?: RequestOptions): Promise<void> {
    const { id } = this.session.info;
    await this.session.judge();
    if (this.lease.untilLossMs() > 0) await this.bounded(operation, this.session.regained(id), options);
  }
}
