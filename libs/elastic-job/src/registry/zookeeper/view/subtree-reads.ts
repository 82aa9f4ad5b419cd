import { SparseMap, SparseSet } from '../../../domain/index.js';
import type { NodeFound, NodeRead, Reply } from '../wire/index.js';
import type { ZooKeeperClient } from '../zookeeper-client.js';

/** A part of a node that is being read or queued to be read. */
export interface Reading extends NodeRead {
  /** Resolves when the reply has been received and the reads that follow from it are done. */
  readonly done: Promise<unknown>;
  resolve(following: unknown): void;
  reject(error: unknown): void;
  /** True while it is not sent, because the answer of an own write may make it needless. */
  isHeld: boolean;
}

/**
 * Reads of one view. Each part of a node is read at most once at a time, and all parts wanted in one turn share a
 * request. They continue over a reconnect.
 */
export class SubtreeReads {
  /** True after a failed read, since its result is missing. */
  isStale = false;
  private readonly underWay = { data: new SparseMap<string, Reading>(), children: new SparseMap<string, Reading>() };
  private unsent: Reading[] = [];
  private readonly work = new SparseSet<Promise<unknown>>();
  /** Own writes without an answer, counted by the path that they name. */
  private readonly writes = new SparseMap<string, number>();

  /** @param take receives a reply; an error that it throws becomes the outcome of the read */
  constructor(
    private readonly client: ZooKeeperClient,
    private readonly take: (reading: Reading, reply: Reply<NodeFound>) => unknown,
  ) {}

  /** True if no read is under way. */
  get isIdle(): boolean {
    return this.work.size === 0;
  }

  isUnderWay(what: NodeRead['what'], path: string): boolean {
    return this.underWay[what].has(path);
  }

  /** Reads a part, or joins the read of it that is under way. */
  read(what: NodeRead['what'], path: string): Promise<unknown> {
    const underWay = this.underWay[what].get(path);
    if (underWay) return underWay.done;
    const reading = newReading(what, path);
    this.underWay[what].set(path, reading);
    reading.isHeld = what === 'data' && this.writes.has(path);
    if (!reading.isHeld) this.enqueue(reading);
    void this.track(reading.done);
    return reading.done;
  }

  /** Sends the queued reads now. */
  send(counted: 'foreground' | 'background' = 'background'): void {
    const readings = this.unsent;
    this.unsent = [];
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
    await Promise.all(this.work);
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
    reading.resolve(undefined);
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
  end(outcome: () => unknown = () => undefined): void {
    const all = [...this.underWay.data.values(), ...this.underWay.children.values()];
    this.underWay.data.clear();
    this.underWay.children.clear();
    this.unsent = [];
    for (const reading of all) resolveWith(reading, outcome);
  }

  private receive(reading: Reading, reply: Reply<NodeFound> | undefined): void {
    const underWay = this.underWay[reading.what];
    // The view was closed or lost meanwhile.
    if (underWay.get(reading.path) !== reading) return;
    if (!reply) return void this.unsent.push(reading);
    underWay.delete(reading.path);
    resolveWith(reading, () => this.take(reading, reply));
  }

  private enqueue(reading: Reading): void {
    if (this.unsent.length === 0) process.nextTick(() => this.send());
    this.unsent.push(reading);
  }

  private async track(done: Promise<unknown>): Promise<void> {
    this.work.add(done);
    try {
      await done;
    } catch {
      this.isStale = true;
    }
    this.work.delete(done);
  }
}

function resolveWith(reading: Reading, outcome: () => unknown): void {
  try {
    reading.resolve(outcome());
  } catch (error) {
    reading.reject(error);
  }
}

function newReading(what: NodeRead['what'], path: string): Reading {
  let resolve!: (following: unknown) => void;
  let reject!: (error: unknown) => void;
  const done = new Promise<unknown>((succeed, fail) => {
    resolve = succeed;
    reject = fail;
  });
  return { what, path, done, resolve, reject, isHeld: false };
}
