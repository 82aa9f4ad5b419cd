import type { Clock } from '../clock/index.js';
import { ownWait, type Waiter } from './own-wait.js';
import type { Operation, RequestOptions, TransactionResult } from './registry-center.js';
import { isRefusal, SessionLostError } from './registry.errors.js';

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
  readonly waiter: Waiter<TransactionResult>;
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
  add(transaction: SharedTransaction, options: RequestOptions = {}): Promise<TransactionResult> {
    const name = `transaction of ${transaction.operations.length}`;
    return ownWait(this.clock, name, options, (waiter) => {
      const { operations, bytes, dueAt } = transaction;
      const member = { operations, bytes, dueAt, sessionId: this.sender.sessionId(), waiter };
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
    const members = this.waiting.filter(({ waiter }) => !waiter.isOver);
    this.waiting = [];
    const current = this.sender.sessionId();
    for (const { sessionId, waiter } of members)
      if (sessionId !== current) waiter.reject(new SessionLostError(sessionId));
    const ours = members.filter(({ sessionId }) => sessionId === current);
    const most = Math.min(MOST_SHARED_BYTES, this.sender.maxRequestBytes);
    const inOrder = ours.toSorted((a, b) => a.dueAt - b.dueAt);
    for (const group of groupsOf(inOrder, most)) void this.send(group);
  }

  private async send(group: readonly Member[]): Promise<void> {
    try {
      const result = await this.sender.send(group.flatMap(({ operations }) => operations));
      if (result.kind === 'refused') return this.refused(group, ({ waiter }) => waiter.resolve(result));
      let next = 0;
      for (const { operations, waiter } of group) {
        waiter.resolve({ kind: 'committed', results: result.results.slice(next, (next += operations.length)) });
      }
    } catch (error) {
      // A server that refuses any request, as an overloaded one does, is not to be sent many instead of one.
      if (isRefusal(error) && error.path !== undefined) this.refused(group, ({ waiter }) => waiter.reject(error));
      else for (const { waiter } of group) waiter.reject(error);
    }
  }

  private refused(group: readonly Member[], tell: (only: Member) => void): void {
    const [only] = group;
    if (group.length === 1) return tell(only!);
    for (const member of group) if (!member.waiter.isOver) void this.send([member]);
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
