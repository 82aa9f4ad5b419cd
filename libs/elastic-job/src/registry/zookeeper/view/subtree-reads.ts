import { Batch, SparseMap, SparseSet } from '../../../domain/index.js';
import type { NodeFound, NodeRead, Reply } from '../wire/index.js';
import type { ZooKeeperClient } from '../zookeeper-client.js';

/**
 * A part of a node that is being read or queued to be read. It makes a promise only when a caller waits.
 */
export class Reading implements NodeRead {
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

  /** @param take receives a reply; an error that it throws becomes the outcome of the read */
  constructor(
    private readonly client: Pick<ZooKeeperClient, 'readParts'>,
    private readonly take: (reading: Reading, reply: Reply<NodeFound>) => Promise<unknown> | undefined,
  ) {}

  /** True if no read is under way. */
  get isIdle(): boolean {
    return this.work.size === 0;
  }

  isUnderWay(what: NodeRead['what'], path: string): boolean {
    return this.underWay[what].has(path);
  }

  /** Paths of the nodes of which a part is being read, or is to be read. */
  underWayOf(what: NodeRead['what']): Iterable<string> {
    return this.underWay[what].keys();
  }

  /** Reads a part, or joins the read of it that is under way. */
  read(what: NodeRead['what'], path: string): Reading {
    const underWay = this.underWay[what].get(path);
    if (underWay) return underWay;
    const reading = new Reading(what, path);
    this.underWay[what].set(path, reading);
    this.work.add(reading);
    if (this.unsent.add(reading) === 1) process.nextTick(() => this.send());
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
