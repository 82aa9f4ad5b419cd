const LENGTH_BYTES = 4;
/** No reply is shorter than its header. */
const SHORTEST_BYTES = 16;

/** Cuts what a socket reads into ZooKeeper's frames: a length of four bytes, then as many bytes. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** So many bytes must be there before the next step. */
  private needed = LENGTH_BYTES;

  /** @param longestBytes a frame that says to be longer is garbage, not data to wait for */
  constructor(private readonly longestBytes: number) {}

  /**
   * Takes in a chunk.
   * @returns the frames that are complete now, without their lengths
   * @throws {RangeError} for a length that cannot be
   */
  *read(chunk: Buffer): Generator<Buffer, void> {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    // Joined only when a step is possible, or a reply in many chunks would be copied many times.
    if (this.bytes < this.needed) return;
    const all = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.bytes);
    let start = 0;
    while (all.length - start >= this.needed) {
      if (this.needed === LENGTH_BYTES) {
        this.needed += this.frameBytes(all, start);
        continue;
      }
      const end = start + this.needed;
      const frame = all.subarray(start + LENGTH_BYTES, end);
      start = end;
      this.needed = LENGTH_BYTES;
      yield frame;
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
