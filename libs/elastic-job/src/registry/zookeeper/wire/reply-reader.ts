import { interned } from '../../../domain/index.js';
import type { NodeStat } from '../../registry-center.js';

const CONTAINER_OWNER = 1n << 63n;
const TTL_OWNER = 0xffn << 56n;

/**
 * Decodes the fields of one reply, in the order of ZooKeeper's format. The client library's codec allocates six buffers
 * per stat, which dominates the time to read a large tree, so replies are decoded here.
 *
 * Every method throws a RangeError if the frame is shorter than its fields announce.
 */
export class ReplyReader {
  private at = 0;
  /** Reads long numbers without making several of each, as `Buffer` does. */
  private readonly view: DataView;

  constructor(private readonly frame: Buffer) {
    this.view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  }

  int(): number {
    return this.frame.readInt32BE(this.skip(4));
  }

  long(): bigint {
    return this.view.getBigInt64(this.skip(8));
  }

  boolean(): boolean {
    return this.frame.readUInt8(this.skip(1)) === 1;
  }

  /** Copied, since a slice would keep the whole frame in memory. */
  bytes(): Buffer {
    const length = this.length();
    const start = this.skip(length);
    return Buffer.from(this.frame.subarray(start, start + length));
  }

  text(): string {
    const length = this.length();
    const start = this.skip(length);
    return this.frame.toString('utf8', start, start + length);
  }

  /** The rest of the frame, without copying it. */
  rest(): Buffer {
    return this.frame.subarray(this.at);
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
    const czxid = this.long();
    const lastZxid = this.long();
    // Most nodes are never written again, so both fields then share one number in memory.
    const mzxid = lastZxid === czxid ? czxid : lastZxid;
    const ctime = this.milliseconds();
    const mtime = this.milliseconds();
    const version = this.int();
    this.skip(8); // versions of the children and of the ACL
    const owner = BigInt.asUintN(64, this.long());
    this.skip(16); // data length, number of children, zxid of the last change of the children
    const ephemeralOwner = isEphemeral(owner) ? interned(owner.toString(16)) : undefined;
    return { czxid, mzxid, ctime, mtime, version, ephemeralOwner };
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
    if (start + bytes > this.frame.length) {
      throw new RangeError(`a reply of ${this.frame.length} bytes ends before byte ${start + bytes}`);
    }
    this.at = start + bytes;
    return start;
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
