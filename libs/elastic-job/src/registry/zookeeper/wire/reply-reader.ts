import { interned } from '../../../domain/index.js';
import type { NodeStat } from '../../registry-center.js';

const CONTAINER_OWNER = 1n << 63n;
const TTL_OWNER = 0xffn << 56n;

/**
 * Decodes the fields of replies, in the order of ZooKeeper's format. The client library's codec allocates six buffers
 * per stat, which dominates the time to read a large tree, so replies are decoded here.
 *
 * Every method throws a RangeError if the frame is shorter than its fields announce.
 */
export class ReplyReader {
  private at = 0;
  private end: number;
  /** Reads numbers without the checks of `Buffer`, and long ones without making several of each. */
  private readonly view: DataView;
  // The nodes that one transaction has written come in a row, with the same zxids.
  private readonly czxid = new LastLong();
  private readonly mzxid = new LastLong();

  constructor(private readonly frames: Buffer) {
    this.view = new DataView(frames.buffer, frames.byteOffset, frames.length);
    this.end = frames.length;
  }

  /** Continues with another frame of the same bytes. */
  turnTo(start: number, end: number): void {
    this.at = start;
    this.end = end;
  }

  int(): number {
    return this.view.getInt32(this.skip(4));
  }

  long(): bigint {
    return this.view.getBigInt64(this.skip(8));
  }

  boolean(): boolean {
    return this.view.getUint8(this.skip(1)) === 1;
  }

  /** Copied, since a slice would keep the whole frame in memory. */
  bytes(): Buffer {
    const length = this.length();
    const start = this.skip(length);
    return Buffer.from(this.frames.subarray(start, start + length));
  }

  text(): string {
    const length = this.length();
    const start = this.skip(length);
    return this.frames.toString('utf8', start, start + length);
  }

  /** Passes over a text that is not needed. */
  skipText(): undefined {
    this.skip(this.length());
  }

  /** The rest of the frame, without copying it. */
  rest(): Buffer {
    return this.frames.subarray(this.at, this.end);
  }

  texts(): readonly string[] {
    return this.list(() => this.text());
  }

  list<T>(readOne: () => T): readonly T[] {
    const list: T[] = [];
    for (let left = this.length(); left > 0; left -= 1) list.push(readOne());
    return list;
  }

  stat(): NodeStat {
    const czxid = this.czxid.at(this.view, this.skip(8));
    const lastZxid = this.mzxid.at(this.view, this.skip(8));
    // Most nodes are never written again, so both fields then share one number in memory.
    const mzxid = lastZxid === czxid ? czxid : lastZxid;
    const ctime = this.milliseconds();
    const mtime = this.milliseconds();
    const version = this.int();
    this.skip(8); // versions of the children and of the ACL
    const ephemeralOwner = this.ephemeralOwner();
    this.skip(16); // data length, number of children, zxid of the last change of the children
    return { czxid, mzxid, ctime, mtime, version, ephemeralOwner };
  }

  private ephemeralOwner(): string | undefined {
    const at = this.skip(8);
    // Asked first, since most nodes are persistent.
    if (this.view.getInt32(at) === 0 && this.view.getInt32(at + 4) === 0) return undefined;
    const owner = this.view.getBigUint64(at);
    return isEphemeral(owner) ? interned(owner.toString(16)) : undefined;
  }

  /** A long number as an exact number: no clock shows a time beyond 2^53 milliseconds. */
  private milliseconds(): number {
    const at = this.skip(8);
    return this.view.getInt32(at) * 2 ** 32 + this.view.getUint32(at + 4);
  }

  /** A missing text, array or vector has the length -1. */
  private length(): number {
    return Math.max(0, this.int());
  }

  /** @returns the position where the skipped bytes begin */
  private skip(bytes: number): number {
    const start = this.at;
    if (start + bytes > this.end) throw new RangeError(`a reply ends ${start + bytes - this.end} bytes too early`);
    this.at = start + bytes;
    return start;
  }
}

/** Reads long numbers of one kind. Equal ones in a row are one number in memory. */
class LastLong {
  private high = 0;
  private low = 0;
  private long = 0n;

  at(view: DataView, start: number): bigint {
    const high = view.getInt32(start);
    const low = view.getInt32(start + 4);
    if (low !== this.low || high !== this.high) {
      this.high = high;
      this.low = low;
      this.long = view.getBigInt64(start);
    }
    return this.long;
  }
}

/**
 * True if a session owns the node. Containers, which Curator creates as parents, and nodes with a time to live are
 * marked in the same field, but are persistent and may have children.
 * @see ZooKeeper's EphemeralType
 */
function isEphemeral(owner: bigint): boolean {
  return owner !== 0n && owner !== CONTAINER_OWNER && owner < TTL_OWNER;
}
