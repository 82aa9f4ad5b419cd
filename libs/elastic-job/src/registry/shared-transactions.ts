import type { Clock } from '../clock/index.js';
import type { Operation, RequestOptions, TransactionResult } from './registry-center.js';
import { isRefusal, RegistryUnavailableError, SessionLostError } from './registry.errors.js';

/** The most that several transactions take together, in bytes: a refused group is sent again, member by member. */
const MOST_SHARED_BYTES = 65_536;

/** How a request leaves. */
interface TransactionSender {
  sessionId(): string | undefined;
  /** The most that a request may have. */
  readonly maxRequestBytes: number;
  /** Sends at once. @throws as `RegistryCenter.transaction` does */
  send(operations: readonly Operation[]): Promise<TransactionResult>;
}

/** A transaction that may share a request. */
interface SharedTransaction {
  readonly operations: readonly Operation[];
  /** Its size if it is sent alone. */
  readonly bytes: number;
  /** In milliseconds since the epoch. */
  readonly dueAt: number;
}

/** A transaction on its way into a request. */
interface Member extends SharedTransaction {
  readonly sessionId: string | undefined;
  readonly resolve: (result: TransactionResult) => void;
  readonly reject: (error: unknown) => void;
  isWithdrawn: boolean;
}

/**
 * Transactions of one session that share requests: those that come within one turn of the event loop leave together, in
 * the order of the instants at which they are due. Each of them is answered as if it had left alone. The members of a
 * request that is refused go one by one, without waiting for each other: a refusal names one of them, and others may be
 * refused as well.
 */
export class SharedTransactions {
  private waiting: Member[] = [];

  constructor(
    private readonly sender: TransactionSender,
    private readonly clock: Clock,
  ) {}

  /**
   * The signal and the limit withdraw this transaction alone. Until its request leaves, nothing is sent of it.
   * @throws as `RegistryCenter.transaction` does
   */
  add(transaction: SharedTransaction, { signal, timeoutMs }: RequestOptions = {}): Promise<TransactionResult> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const { operations, bytes, dueAt } = transaction;
      const end = () => {
        member.isWithdrawn = true;
        signal?.removeEventListener('abort', abort);
        timer?.cancel();
      };
      const abort = () => {
        end();
        reject(signal?.reason);
      };
      const member: Member = {
        operations,
        bytes,
        dueAt,
        sessionId: this.sender.sessionId(),
        isWithdrawn: false,
        resolve(result) {
          end();
          resolve(result);
        },
        reject(error) {
          end();
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort);
      // Without a limit of its own, that of the request has to do.
      const timer = timeoutMs === undefined ? undefined : this.clock.setTimer(timeoutMs, () => member.reject(late()));
      const late = () =>
        new RegistryUnavailableError(
          `transaction of ${operations.length}`,
          'unknown',
          `no answer within ${timeoutMs} ms`,
        );
      if (this.waiting.push(member) === 1) void this.sendLater();
    });
  }

  private async sendLater(): Promise<void> {
    await this.clock.nextTurn();
    this.flush();
  }

  /** Sends what waits, so that a request that was asked for later does not overtake it. */
  flush(): void {
    if (this.waiting.length === 0) return;
    const members = this.waiting.filter((member) => !member.isWithdrawn);
    this.waiting = [];
    const current = this.sender.sessionId();
    for (const { sessionId, reject } of members) if (sessionId !== current) reject(new SessionLostError(sessionId));
    const ours = members.filter(({ sessionId }) => sessionId === current);
    const most = Math.min(MOST_SHARED_BYTES, this.sender.maxRequestBytes);
    const inOrder = ours.toSorted((a, b) => a.dueAt - b.dueAt);
    for (const group of groupsOf(inOrder, most)) void this.send(group);
  }

  private async send(group: readonly Member[]): Promise<void> {
    try {
      const result = await this.sender.send(group.flatMap(({ operations }) => operations));
      if (result.kind === 'refused') return this.refused(group, ({ resolve }) => resolve(result));
      let next = 0;
      for (const { operations, resolve } of group) {
        resolve({ kind: 'committed', results: result.results.slice(next, (next += operations.length)) });
      }
    } catch (error) {
      // A server that refuses any request, as an overloaded one does, is not to be sent many instead of one.
      if (isRefusal(error) && error.path !== undefined) this.refused(group, ({ reject }) => reject(error));
      else for (const { reject } of group) reject(error);
    }
  }

  private refused(group: readonly Member[], tell: (only: Member) => void): void {
    const [only] = group;
    if (group.length === 1) return tell(only!);
    for (const member of group) if (!member.isWithdrawn) void this.send([member]);
  }
}

/** As many in a row as fit one request. One that is larger goes alone. */
function groupsOf(members: readonly Member[], mostBytes: number): readonly (readonly Member[])[] {
  const groups: Member[][] = [];
  let room = 0;
  for (const member of members) {
    if (member.bytes > room) {
      groups.push([]);
      room = mostBytes;
    }
    groups.at(-1)!.push(member);
    room -= member.bytes;
  }
  return groups;
}
