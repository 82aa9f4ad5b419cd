import { Batch, SparseMap, SparseSet } from '../../../domain/index.js';
import type { NodeFound, NodeRead, Reply } from '../wire/index.js';
import type { ZooKeeperClient } from '../zookeeper-client.js';

/**
 * A part of a node that is being read or queued to be read. It makes a promise only when a caller waits: the answers of
 * own writes make most reads needless before a caller waits for them.
 */
export class Reading implements NodeRead {
  /** True while it is not sent, because the answer of an own write may make it needless. */
  isHeld = false;
  /** Reads that follow from the reply. */
  private following: Promise<unknown> | undefined;
  private promise: Promise<unknown> | undefined;
  private waiter: { resolve(following: unknown): void; reject(error: unknown): void } | undefined;

  constructor(
    readonly what: NodeRead['what'],
    readonly path: string,
  ) {}

  /** Resolves when the reply and the reads that follow from it are done. A rejection needs no handler. */
  get done(): Promise<unknown> {
    this.promise ??= this.following ?? this.newPromise();
    return this.promise;
  }

  resolve(following?: Promise<unknown>): void {
    this.following = following;
    this.waiter?.resolve(following);
  }

  reject(error: unknown): void {
    this.waiter?.reject(error);
  }

  private newPromise(): Promise<unknown> {
    const promise = new Promise<unknown>((resolve, reject) => {
      this.waiter = { resolve, reject };
    });
    promise.catch(() => {});
    return promise;
  }
}

/**
 * Reads of one view. Each part of a node is read at most once at a time, and all parts wanted in one turn share a
 * request. They continue over a reconnect.
 */
export class SubtreeReads {
  /** True after a failed read, since its result is missing. */
  isStale = false;
  private readonly underWay = { data: new SparseMap<string, Reading>(), children: new SparseMap<string, Reading>() };
  private readonly unsent = new Batch<Reading>();
  /** Reads that are not done, including those that follow from their replies. */
  private readonly work = new SparseSet<Reading>();
  /** Own writes without an answer, counted by the path that they name. */
  private readonly writes = new SparseMap<string, number>();

  /** @param take receives a reply; an error that it throws becomes the outcome of the read */
  constructor(
    private readonly client: ZooKeeperClient,
    private readonly take: (reading: Reading, reply: Reply<NodeFound>) => Promise<unknown> | undefined,
  ) {}

  /** True if no read is under way. */
  get isIdle(): boolean {
    return this.work.size === 0;
  }

  isUnderWay(what: NodeRead['what'], path: string): boolean {
    return this.underWay[what].has(path);
  }

  /** Reads a part, or joins the read of it that is under way. */
  read(what: NodeRead['what'], path: string): Reading {
    const underWay = this.underWay[what].get(path);
    if (underWay) return underWay;
    const reading = new Reading(what, path);
    this.underWay[what].set(path, reading);
    this.work.add(reading);
    reading.isHeld = what === 'data' && this.writes.has(path);
    if (!reading.isHeld) this.enqueue(reading);
    return reading;
  }

  /** Sends the queued reads now. */
  send(counted: 'foreground' | 'background' = 'background'): void {
    const readings = this.unsent.take();
    if (readings.length === 0) return;
    this.client.readParts(readings, counted, (reading, reply) => this.receive(reading, reply));
  }

  /** Sends the reads again that an earlier connection did not answer. */
  resend(): void {
    process.nextTick(() => this.send());
  }

  /**
   * Resolves when all reads that are under way now, and those that follow from them, are done.
   * @throws the error of one that failed
   */
  async allRead(): Promise<void> {
    await Promise.all([...this.work].map(({ done }) => done));
  }

  /** Holds back reads of the path: an own write that names it was sent, and its answer may tell the value. */
  hold(path: string): void {
    this.writes.set(path, (this.writes.get(path) ?? 0) + 1);
  }

  /** Drops a read that was held back, since an own write has told the value. */
  spare(path: string): void {
    const reading = this.underWay.data.get(path);
    if (!reading?.isHeld) return;
    this.underWay.data.delete(path);
    this.finish(reading, () => undefined);
  }

  /** Sends a read that was held back, since the own write ended without telling the value. */
  release(path: string): void {
    const left = (this.writes.get(path) ?? 1) - 1;
    if (left > 0) return void this.writes.set(path, left);
    this.writes.delete(path);
    const reading = this.underWay.data.get(path);
    if (!reading?.isHeld) return;
    reading.isHeld = false;
    this.enqueue(reading);
  }

  /** Ends all reads. @param outcome gives the waiting callers their result, or throws their error */
  end(outcome: () => void = () => {}): void {
    const all = [...this.underWay.data.values(), ...this.underWay.children.values()];
    this.underWay.data.clear();
    this.underWay.children.clear();
    this.unsent.take();
    for (const reading of all) {
      this.finish(reading, () => {
        outcome();
        return undefined;
      });
    }
  }

  private receive(reading: Reading, reply: Reply<NodeFound> | undefined): void {
    const underWay = this.underWay[reading.what];
    // The view was closed or lost meanwhile.
    if (underWay.get(reading.path) !== reading) return;
    if (!reply) return void this.unsent.add(reading);
    underWay.delete(reading.path);
    this.finish(reading, () => this.take(reading, reply));
  }

  private enqueue(reading: Reading): void {
    if (this.unsent.add(reading) === 1) process.nextTick(() => this.send());
  }

  /** @param outcome returns the reads that follow, or throws the error of this one */
  private finish(reading: Reading, outcome: () => Promise<unknown> | undefined): void {
    try {
      const following = outcome();
      reading.resolve(following);
      if (following !== undefined) return void this.finishAfter(reading, following);
    } catch (error) {
      this.isStale = true;
      reading.reject(error);
    }
    this.work.delete(reading);
  }

  private async finishAfter(reading: Reading, following: Promise<unknown>): Promise<void> {
    await following.catch(() => (this.isStale = true));
    this.work.delete(reading);
  }
}
