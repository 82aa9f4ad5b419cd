import type { Clock } from '../clock/index.js';
import { Batch } from '../domain/index.js';
import { type Calm, resumeInTurns } from '../turns/index.js';
import { ownWait, type Waiter } from './own-wait.js';
import type { SyncOptions } from './registry-center.js';

/** Milliseconds after which a sync that has left answers no further callers. */
const LONGEST_USE_MS = 200;

/** The sender of the shared syncs. */
interface SyncSender {
  sessionId(): string | undefined;
  /** Sends a sync at once. Once it resolves, every earlier commit has been heard. */
  send(): Promise<void>;
  /** Sends the shared transactions that wait. */
  flush(): void;
}

/** A sync that has left. */
interface SentSync {
  readonly sessionId: string | undefined;
  /** Moment on the monotonic clock. */
  readonly leftAt: number;
  /** Callers that have not gone on yet. */
  readonly waiting: Batch<Waiter<void>>;
  /** True once it is answered and all of them have gone on. */
  isOver: boolean;
}

/**
 * One sync request shared by all callers that need the latest commits. It leaves at the end of the turn in which the
 * first one asks; callers that ask after it left share the next one. Once it is answered, callers resume in the order
 * of their calls, some in each turn, and until the last one has there is no calm. Then the transactions that they have
 * prepared leave at once: at the end of the turn, the replies to the first of them would be taken before.
 *
 * A caller that needs the commits before an earlier moment shares a sync that left after that moment. If there is none,
 * its own leaves at once, so that it is answered while further callers of that moment prepare their calls.
 */
export class SharedSync {
  private next = new Batch<Waiter<void>>();
  private last: SentSync | undefined;

  constructor(
    private readonly sender: SyncSender,
    private readonly clock: Clock,
    private readonly calm: Calm,
  ) {}

  /**
   * Waits for the shared sync. The signal and the limit withdraw this caller alone; if no caller is left, nothing is
   * sent.
   * @param operation the request, as an error names it
   * @throws the error of `send`, or the reason that ends the wait
   */
  sync(operation: string, options: SyncOptions = {}): Promise<void> {
    const sent = this.sentAfter(options.asOf);
    if (sent?.isOver && !options.signal?.aborted) return Promise.resolve();
    return ownWait(this.clock, operation, options, (waiter) => {
      const count = (sent?.waiting ?? this.next).add(waiter);
      if (sent !== undefined) return;
      if (options.asOf !== undefined) void this.sendNext();
      else if (count === 1) void this.sendLater();
    });
  }

  /** The last sync, if it holds all commits before that moment and is recent. */
  private sentAfter(moment = Infinity): SentSync | undefined {
    const { last } = this;
    if (last === undefined || last.leftAt < moment || last.sessionId !== this.sender.sessionId()) return undefined;
    return this.clock.monotonicNow() - last.leftAt <= LONGEST_USE_MS ? last : undefined;
  }

  private async sendLater(): Promise<void> {
    await this.clock.nextTurn();
    await this.sendNext();
  }

  private async sendNext(): Promise<void> {
    const waiting = this.next;
    if (waiting.list.every(({ isOver }) => isOver)) return void waiting.take();
    this.next = new Batch();
    const sent: SentSync = {
      sessionId: this.sender.sessionId(),
      leftAt: this.clock.monotonicNow(),
      waiting,
      isOver: false,
    };
    this.last = sent;
    try {
      await this.sender.send();
    } catch (error) {
      if (this.last === sent) this.last = undefined;
      for (const waiter of waiting.take()) if (!waiter.isOver) waiter.reject(error);
      return;
    }
    this.calm.begin();
    // Further callers may come while the first ones go on.
    while (waiting.size > 0) await resumeInTurns(this.clock, waiting.take(), (waiter) => waiter.resolve());
    sent.isOver = true;
    this.sender.flush();
    this.calm.end();
  }
}
