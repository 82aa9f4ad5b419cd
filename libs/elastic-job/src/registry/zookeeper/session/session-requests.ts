import { type Clock, Deadline } from '../../../clock/index.js';
import { Batch } from '../../../domain/index.js';
import type { RequestOptions } from '../../registry-center.js';
import { RegistryUnavailableError } from '../../registry.errors.js';
import type { Lease } from '../../session-lease.js';
import {
  type Answer,
  connectionBroke,
  type NodeFound,
  type NodeRead,
  readPieces,
  type Reply,
  type Request,
} from '../wire/index.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';
import type { Session } from './session.js';

/** Waits for work within the time of a call. @throws {RegistryUnavailableError} @throws the signal's reason */
type Limit = <T>(work: Promise<T>) => Promise<T>;

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
    const answer = await this.answerTo(operation, request, this.limit(operation, options), options);
    if (answer.kind !== 'dropped') return answer;
    throw connectionBroke(operation, answer);
  }

  /**
   * Sends a request that changes nothing. If the connection breaks, sends it again over the next one while the session
   * lives.
   * @throws as `ask`
   */
  async askRead<T>(operation: string, request: Request<T>, options?: RequestOptions): Promise<Reply<T>> {
    return this.read(operation, request, this.limit(operation, options), options);
  }

  /** As `askRead`, and waits first for a broken connection to be back. */
  async askReadOnceBack<T>(operation: string, request: Request<T>, options?: RequestOptions): Promise<Reply<T>> {
    const limit = this.limit(operation, options);
    const { id, state } = this.session.info;
    if (state === 'SUSPENDED') await limit(this.session.regained(id));
    return this.read(operation, request, limit, options);
  }

  /** The time of one call: all its waits together take at most as long as the options, or the default, allow. */
  limit(operation: string, { timeoutMs = this.options.requestTimeoutMs, signal }: RequestOptions = {}): Limit {
    const deadline = Deadline.after(this.clock, timeoutMs);
    const late = (): never => {
      this.session.checkLease();
      throw new RegistryUnavailableError(operation, 'unknown', `no answer within ${timeoutMs} ms`);
    };
    return (work) => deadline.bounds(work, late, signal);
  }

  private async read<T>(
    operation: string,
    request: Request<T>,
    limit: Limit,
    options?: RequestOptions,
  ): Promise<Reply<T>> {
    const { id } = this.session.info;
    let answer = await this.answerTo(operation, request, limit, options);
    while (answer.kind === 'dropped') {
      await limit(this.session.regained(id));
      answer = await this.answerTo(operation, request, limit, options);
    }
    return answer;
  }

  private async answerTo<T>(
    operation: string,
    request: Request<T>,
    limit: Limit,
    options?: RequestOptions,
  ): Promise<Answer<T>> {
    options?.signal?.throwIfAborted();
    if (this.lease.remainingMs() === 0) await this.askAnew(limit);
    const connection = this.session.usable(operation);
    this.session.traffic.foreground += 1;
    return limit(connection.ask(request));
  }

  /** Judges the session by its lease. If that needs a server's answer, waits for it, for 2 s at most. */
  private async askAnew(limit: Limit): Promise<void> {
    const { id } = this.session.info;
    await this.session.judge();
    if (this.lease.untilLossMs() > 0) await limit(this.session.regained(id));
  }
}

/** A part of a node to be read. */
interface WantedPart {
  readonly read: NodeRead;
  /** Receives the reply, in the order of the server; undefined if the connection broke first. */
  receive(reply: Reply<NodeFound> | undefined): void;
}

type Counted = 'foreground' | 'background';

/** Combines all reads of one turn of the event loop into common requests. */
export class SharedReads {
  private readonly wanted = new Batch<WantedPart>();
  private counted: Counted = 'background';

  constructor(
    private readonly send: (
      reads: readonly NodeRead[],
      counted: Counted,
      receive: (answer: Answer<readonly NodeFound[]>) => void,
    ) => void,
  ) {}

  /** @param counted kind of traffic; a request counts as foreground if one of its parts does */
  add(parts: readonly WantedPart[], counted: Counted): void {
    if (this.wanted.size === 0) process.nextTick(() => this.sendAll());
    for (const part of parts) this.wanted.add(part);
    if (counted === 'foreground') this.counted = counted;
  }

  private sendAll(): void {
    const { counted } = this;
    const wanted = this.wanted.take();
    this.counted = 'background';
    let next = 0;
    for (const piece of readPieces(wanted.map(({ read }) => read))) {
      const parts = wanted.slice(next, (next += piece.length));
      this.send(piece, counted, (answer) => {
        for (const [index, part] of parts.entries()) part.receive(replyTo(answer, index));
      });
    }
  }
}

function replyTo(answer: Answer<readonly NodeFound[]>, index: number): Reply<NodeFound> | undefined {
  if (answer.kind === 'dropped') return undefined;
  return answer.kind === 'ok' ? { kind: 'ok', value: answer.value[index]! } : answer;
}
