import type { Readable } from 'node:stream';

/**
 * The end of what a process writes: the error that it ends with usually stands there. The rest is read and forgotten.
 */
export class OutputTail {
  private bytes: Buffer = Buffer.alloc(0);
  private isCut = false;

  /** @param limit in bytes */
  constructor(stream: Readable, limit: number) {
    stream.on('data', (chunk: Buffer) => {
      this.isCut ||= this.bytes.length + chunk.length > limit;
      this.bytes = Buffer.concat([this.bytes, chunk]).subarray(-limit);
    });
  }

  get text(): string {
    return `${this.isCut ? '...' : ''}${this.bytes.toString()}`;
  }
}
