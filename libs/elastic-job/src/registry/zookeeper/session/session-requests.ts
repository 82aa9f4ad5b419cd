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
