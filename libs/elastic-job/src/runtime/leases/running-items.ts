// Covered by test/scenario/leases.spec.ts
import type { ExecutionLease } from '../../coordination/index.js';
import { SparseMap } from '../../domain/index.js';
import type { HungHandler } from '../../executor/index.js';

/** An item that runs here: under a lease, or its handler alone, which goes on although the item was given up. */
interface HeldHere {
  readonly lease: ExecutionLease;
  /** It has not returned although it was told to stop. */
  hung?: HungHandler;
  isLeaseOver: boolean;
}

/** The items of one job that run in this process, and the leases that hold them. */
export class RunningItems {
  private readonly items = new SparseMap<number, HeldHere>();
  /** Begins under way. */
  private expected = 0;
  private waiting: (() => void)[] = [];
  /** The reason for which nothing is to run any more. */
  private ending: { readonly reason: unknown } | undefined;

  get size(): number {
    return this.items.size;
  }

  /** The handlers that have not heeded their signals, by item, ascending. */
  get hung(): readonly HungHandler[] {
    return [...this.items.values()].flatMap(({ hung }) => hung ?? []).toSorted((a, b) => a.item - b.item);
  }

  /** The items whose handlers have not returned, or are about to be called, ascending. */
  get list(): readonly number[] {
    return [...this.items.keys()].toSorted((a, b) => a - b);
  }

  has(item: number): boolean {
    return this.items.has(item);
  }

  /** The lease under which an item runs here. */
  leaseOf(item: number): ExecutionLease | undefined {
    return this.items.get(item)?.lease;
  }

  /** A begin is under way; it adds what it has begun before it ends. */
  async expect<T>(begin: () => Promise<T>): Promise<T> {
    this.expected += 1;
    try {
      return await begin();
    } finally {
      this.expected -= 1;
      this.tellIfNone();
    }
  }

  add(lease: ExecutionLease): void {
    for (const item of lease.items) this.items.set(item, { lease, isLeaseOver: false });
    if (this.ending !== undefined) lease.abort(this.ending.reason);
  }

  /** Its handler has not heeded its signal: the item is not free before that returns. */
  hang(lease: ExecutionLease, hung: HungHandler): void {
    const held = this.of(hung.item, lease);
    if (held !== undefined) held.hung = hung;
  }

  /** Its handler has returned. @returns true if the item is free with that, since it was given up before */
  return(item: number, lease: ExecutionLease): boolean {
    const held = this.of(item, lease);
    if (held !== undefined) held.hung = undefined;
    return this.freed(item, held);
  }

  /** The lease has nothing more to do with the item. @returns true if it is free with that */
  endLease(item: number, lease: ExecutionLease): boolean {
    const held = this.of(item, lease);
    if (held !== undefined) held.isLeaseOver = true;
    return this.freed(item, held);
  }

  /** Also what is still being begun, and later. The first reason stands. */
  end(reason: unknown): void {
    this.ending ??= { reason };
    this.abort(reason);
  }

  /** After `end`: what is begun from now on runs. */
  reopen(): void {
    this.ending = undefined;
  }

  /** What runs now is told to stop; what begins later runs. */
  abort(reason: unknown): void {
    for (const lease of new Set([...this.items.values()].map((held) => held.lease))) lease.abort(reason);
  }

  /** Resolves when nothing runs and nothing is about to. */
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
    this.tellIfNone();
    return true;
  }

  private isNone(): boolean {
    return this.items.size === 0 && this.expected === 0;
  }

  private tellIfNone(): void {
    if (this.isNone()) for (const resolve of this.waiting.splice(0)) resolve();
  }
}
