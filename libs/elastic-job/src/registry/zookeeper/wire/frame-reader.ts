import { ReplyReader } from './reply-reader.js';

const LENGTH_BYTES = 4;
/** Shortest reply in bytes: the length of its header. */
const SHORTEST_BYTES = 16;

/** Cuts the bytes of a socket into ZooKeeper's frames: a length of four bytes, then as many bytes. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** Bytes needed before the next step. */
  private needed = LENGTH_BYTES;

  /** @param longestBytes a frame that announces more is garbage, and is not waited for */
  constructor(private readonly longestBytes: number) {}

  /**
   * Adds a chunk.
   * @returns the frames that are now complete, without their lengths; all by one reader, which goes on with the next
   * @throws {RangeError} for an impossible length
   */
  *read(chunk: Buffer): Generator<ReplyReader, void> {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    // Joined only when a step is possible. Otherwise a reply in many chunks would be copied many times.
    if (this.bytes < this.needed) return;
    const all = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.bytes);
    const reader = new ReplyReader(all);
    let start = 0;
    while (all.length - start >= this.needed) {
      if (this.needed === LENGTH_BYTES) {
        this.needed += this.frameBytes(all, start);
        continue;
      }
      const end = start + this.needed;
      reader.turnTo(start + LENGTH_BYTES, end);
      start = end;
      this.needed = LENGTH_BYTES;
      yield reader;
    }
    this.bytes = all.length - start;
    this.chunks = this.bytes > 0 ? [all.subarray(start)] : [];
  }

  private frameBytes(all: Buffer, start: number): number {
    const bytes = all.readInt32BE(start);
    if (bytes >= SHORTEST_BYTES && bytes <= this.longestBytes) return bytes;
    throw new RangeError(`the server announced a reply of ${bytes} bytes`);
  }
}
