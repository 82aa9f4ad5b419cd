import type { Clock } from '../clock/index.js';
import { Batch } from '../domain/index.js';
import type { Calm } from '../turns/index.js';
import { operationsOf } from './operations.js';
import { ownWait, type Waiter } from './own-wait.js';
import type { Operation, RequestOptions, TransactionResult } from './registry-center.js';
import { isRefusal, SessionLostError } from './registry.errors.js';

/** Largest size of a shared request, in bytes. A refused one is sent again, member by member. */
const MOST_SHARED_BYTES = 65_536;
/**
 * Size from which the first request of a burst leaves, in bytes. That of each next one is twice as large, so the server
 * has work early, and a burst of a thousand transactions takes no more than three requests more.
 */
const FIRST_SHARED_BYTES = 8_192;

/** The sender of the shared requests. */
interface TransactionSender {
  sessionId(): string | undefined;
  /** Largest size of a request. */
  readonly maxRequestBytes: number;
  /** Sends at once. @throws as `RegistryCenter.transaction` does */
  send(operations: readonly Operation[]): Promise<TransactionResult>;
}

/** A transaction that may share a request. */
interface SharedTransaction {
  readonly operations: readonly Operation[];
  /** Its size if it is sent alone. */
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
  /** @see TransactionOptions.isPatient */
  readonly isPatient?: boolean | undefined;
}

/** A transaction that waits to become part of a request. */
interface Member extends SharedTransaction {
  readonly sessionId: string | undefined;
  readonly waiter: Waiter<TransactionResult>;
}

/**
 * Transactions of one session that share requests. Those of one turn of the event loop leave at its end, or before it
 * once a request is full, ordered by the instants at which they are due, the smallest first. Each is answered as if it
 * had left alone, also if several name the same path: they are applied in their order. If a request is refused, its
 * members are sent one by one without waiting for each other, since a refusal names one of them and others may be
 * refused as well.
 *
 * Patient transactions are those of callers that wait for `calm` before they prepare one, so that the settles of fast
 * runs do not hold up a thousand begins.
 */
export class SharedTransactions {
  private readonly waiting = new Batch<Member>();
  /** Transactions that fill a request of their own. */
  private readonly large = new Batch<Member>();
  /** Size of the waiting ones, in bytes. */
  private waitingBytes = 0;
  private isLeaving = false;
  /** The last burst, and the number of its requests that have left full. */
  private readonly burst = { number: 0, full: 0 };
  /** True while this class itself sends a request. Such a request must not flush the waiting ones first. */
  private isSending = false;

  constructor(
    private readonly sender: TransactionSender,
    private readonly clock: Clock,
    private readonly calm: Calm,
  ) {}

  /**
   * Adds a transaction. The signal and the limit withdraw this transaction alone, as long as its request has not left.
   * @throws as `RegistryCenter.transaction` does
   */
  add(transaction: SharedTransaction, options: RequestOptions = {}): Promise<TransactionResult> {
    const name = `transaction of ${transaction.operations.length}`;
    return ownWait(this.clock, name, options, (waiter) => {
      const member = { sessionId: this.sender.sessionId(), waiter, ...transaction };
      this.enter(member);
      if (!this.isLeaving) void this.sendLater();
    });
  }

  /** Sends all waiting transactions, so that a later request does not overtake them. */
  flush(): void {
    if (this.isSending || this.waiting.size + this.large.size === 0) return;
    this.sendAll([...this.takeWaiting(), ...this.large.take()]);
  }

  /** A request that is full leaves at once, and the server works while further callers prepare their transactions. */
  private enter(member: Member): void {
    if (member.bytes > this.mostBytes) return void this.large.add(member);
    if (this.waiting.size > 0 && this.waitingBytes + member.bytes > this.fullBytes(member)) {
      this.burst.full += 1;
      this.sendAll(this.takeWaiting());
    }
    this.waiting.add(member);
    this.waitingBytes += member.bytes;
  }

  /** Size at which a request is full. Patient transactions have no haste, and fill large ones from the first. */
  private fullBytes({ isPatient }: Member): number {
    const { bursts } = this.calm;
    if (this.burst.number !== bursts) Object.assign(this.burst, { number: bursts, full: 0 });
    return isPatient ? this.mostBytes : Math.min(this.mostBytes, FIRST_SHARED_BYTES * 2 ** this.burst.full);
  }

  private takeWaiting(): Member[] {
    this.waitingBytes = 0;
    return this.waiting.take();
  }

  private async sendLater(): Promise<void> {
    this.isLeaving = true;
    this.calm.begin();
    await this.clock.nextTurn();
    this.isLeaving = false;
    this.flush();
    this.calm.end();
  }

  private get mostBytes(): number {
    return Math.min(MOST_SHARED_BYTES, this.sender.maxRequestBytes);
  }

  private sendAll(all: readonly Member[]): void {
    const members = all.filter(({ waiter }) => !waiter.isOver);
    const current = this.sender.sessionId();
    for (const { sessionId, waiter } of members)
      if (sessionId !== current) waiter.reject(new SessionLostError(sessionId));
    const ours = members.filter(({ sessionId }) => sessionId === current);
    const inOrder = ours.toSorted((a, b) => a.dueAt - b.dueAt || a.bytes - b.bytes);
    const groups = groupsOf(inOrder, this.mostBytes);
    this.isSending = true;
    for (const group of groups) void this.sendCounted(group);
    this.isSending = false;
  }

  private async sendCounted(group: readonly Member[]): Promise<void> {
    if (group.every(({ isPatient }) => isPatient)) return this.send(group);
    this.calm.begin();
    await this.send(group);
    this.calm.end();
  }

  private async send(group: readonly Member[]): Promise<void> {
    try {
      const result = await this.sender.send(operationsOf(group));
      if (result.kind === 'refused') return this.refused(group, ({ waiter }) => waiter.resolve(result));
      let next = 0;
      for (const { operations, waiter } of group) {
        waiter.resolve({ kind: 'committed', results: result.results.slice(next, (next += operations.length)) });
      }
    } catch (error) {
      // A server that refuses every request, such as an overloaded one, must not receive many instead of one.
      if (isRefusal(error) && error.path !== undefined) await this.refused(group, ({ waiter }) => waiter.reject(error));
      else for (const { waiter } of group) waiter.reject(error);
    }
  }

  private async refused(group: readonly Member[], answer: (only: Member) => void): Promise<void> {
    const [only] = group;
    if (group.length === 1) return answer(only!);
    await Promise.all(group.filter(({ waiter }) => !waiter.isOver).map((member) => this.send([member])));
  }
}

/** Groups members in order, as many as fit one request. A larger member goes alone. */
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
