import type { ExecutionLease } from '../../coordination/index.js';
import { SparseMap } from '../../domain/index.js';
import type { HungHandler } from '../../executor/index.js';

/** An item that runs here under a lease, or whose handler goes on after the item was given up. */
interface HeldHere {
  readonly lease: ExecutionLease;
  /** Set if the handler has not returned although it was told to stop. */
  hung?: HungHandler;
  isLeaseOver: boolean;
}

/** Items of one job that run in this process, and the leases that hold them. */
export class RunningItems {
  private readonly items = new SparseMap<number, HeldHere>();
  /** Listeners that ignore their signals although the items of their runs are settled, by lease. */
  private readonly listeners = new SparseMap<ExecutionLease, HungHandler>();
  /** Number of begins under way. */
  private expected = 0;
  private waiting: (() => void)[] = [];
  /** Reason for which nothing may run any more. */
  private ending: { readonly reason: unknown } | undefined;

  get size(): number {
    return this.items.size;
  }

  /** Handlers and listeners that ignore their signals, ascending by item. Of listeners after runs, the first. */
  get hung(): readonly HungHandler[] {
    const held = [...this.items.values()].flatMap(({ hung }) => hung ?? []).toSorted((a, b) => a.item - b.item);
    return [...held, ...[...this.listeners.values()].slice(0, 1)];
  }

  /** Items whose handlers have not returned, or are about to be called, ascending. */
  get list(): readonly number[] {
    return [...this.items.keys()].toSorted((a, b) => a - b);
  }

  has(item: number): boolean {
    return this.items.has(item);
  }

  /** Lease under which an item runs here. */
  leaseOf(item: number): ExecutionLease | undefined {
    return this.items.get(item)?.lease;
  }

  /** Counts a begin as under way until it has added the items that it has begun. */
  async expect<T>(begin: () => Promise<T>): Promise<T> {
    this.expected += 1;
    try {
      return await begin();
    } finally {
      this.expected -= 1;
      this.resolveIfNone();
    }
  }

  add(lease: ExecutionLease): void {
    for (const item of lease.items) this.items.set(item, { lease, isLeaseOver: false });
    if (this.ending !== undefined) lease.abort(this.ending.reason);
  }

  /** Notes that a handler or listener ignores its signal, so the item is not free before it returns. */
  hang(lease: ExecutionLease, hung: HungHandler): void {
    const held = this.of(hung.item, lease);
    if (held !== undefined) held.hung = hung;
    else if (hung.listener !== undefined) this.listeners.set(lease, hung);
  }

  /** Notes that a hung listener has returned. @returns items that this frees, as their lease was over before */
  returnAll(lease: ExecutionLease): readonly number[] {
    this.listeners.delete(lease);
    return lease.items.filter((item) => this.return(item, lease));
  }

  /** Notes that a handler has returned. @returns true if this frees the item, as its lease was over before */
  return(item: number, lease: ExecutionLease): boolean {
    const held = this.of(item, lease);
    if (held !== undefined) held.hung = undefined;
    return this.freed(item, held);
  }

  /** Notes that the lease is done with the item. @returns true if this frees the item */
  endLease(item: number, lease: ExecutionLease): boolean {
    const held = this.of(item, lease);
    if (held !== undefined) held.isLeaseOver = true;
    return this.freed(item, held);
  }

  /** Aborts all leases, including begins under way and later ones. The first reason stands. */
  end(reason: unknown): void {
    this.ending ??= { reason };
    this.abort(reason);
  }

  /** Allows runs again after `end`. */
  reopen(): void {
    this.ending = undefined;
  }

  /** Aborts the present leases only; later begins run. */
  abort(reason: unknown): void {
    for (const lease of new Set([...this.items.values()].map((held) => held.lease))) lease.abort(reason);
  }

  /** Resolves when nothing runs and no begin is under way. */
  async ended(): Promise<void> {
    if (!this.isNone()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private of(item: number, lease: ExecutionLease): HeldHere | undefined {
    const held = this.items.get(item);
    return held?.lease === lease ? held : undefined;
  }

  private freed(item: number, held: HeldHere | undefined): boolean {
    if (held === undefined || !held.isLeaseOver || held.hung !== undefined) return false;
    this.items.delete(item);
    this.resolveIfNone();
    return true;
  }

  private isNone(): boolean {
    return this.items.size === 0 && this.expected === 0;
  }

  private resolveIfNone(): void {
    if (this.isNone()) for (const resolve of this.waiting.splice(0)) resolve();
  }
}
