import type { JobName } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';

/** One stretch of leadership of one instance over one job. */
export interface LeadershipTerm {
  readonly jobName: JobName;
  readonly instanceId: string;
  /** Grows with every election of our instances. */
  readonly term: number;
  /** Aborts when the term is over. */
  readonly signal: AbortSignal;
  /**
   * Operations to put before every transaction of the leader, which then commits only while the term lasts. `check`
   * sees only data versions, so it takes two nodes: the election node, which is at version 1 (Java's stays at version
   * 0), and the term node, whose version every election of ours raises.
   */
  readonly guard: readonly Operation[];
}

/** Terms of one job as an async iterable. Only the newest one waits, since an ended term is useless. */
export class TermQueue implements AsyncIterableIterator<LeadershipTerm> {
  private waiting: ((result: IteratorResult<LeadershipTerm>) => void)[] = [];
  private isClosed = false;
  private closing: () => void = () => {};

  constructor(
    private newest: LeadershipTerm | undefined,
    private readonly signal?: AbortSignal,
  ) {
    if (signal?.aborted) this.close();
    else signal?.addEventListener('abort', this.close, { once: true });
  }

  /** Calls back once; immediately if it is closed already. */
  onClosed(callback: () => void): void {
    if (this.isClosed) callback();
    else this.closing = callback;
  }

  push(term: LeadershipTerm): void {
    const resolve = this.waiting.shift();
    if (resolve === undefined) this.newest = term;
    else resolve({ value: term, done: false });
  }

  next(): Promise<IteratorResult<LeadershipTerm>> {
    const value = this.newest;
    this.newest = undefined;
    if (value !== undefined && !value.signal.aborted) return Promise.resolve({ value, done: false });
    if (this.isClosed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  return(): Promise<IteratorResult<LeadershipTerm>> {
    this.close();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly close = (): void => {
    if (this.isClosed) return;
    this.isClosed = true;
    this.signal?.removeEventListener('abort', this.close);
    for (const resolve of this.waiting.splice(0)) resolve({ value: undefined, done: true });
    this.closing();
  };
}
