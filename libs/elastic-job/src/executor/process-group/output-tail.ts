import type { Readable } from 'node:stream';

/**
 * The end of what a process writes: the error that it ends with usually stands there. The rest is read and forgotten.
 * @internal
 */
export class OutputTail {
  private bytes: Buffer = Buffer.alloc(0);
  private isCut = false;

  /** @param limit in bytes */
  constructor(private readonly limit: number) {}

  /** Reads the stream to its end. Of several streams the pieces are kept in the order in which they come. */
  follow(stream: Readable | null | undefined): this {
    stream?.on('data', (chunk: Buffer) => {
      this.isCut ||= this.bytes.length + chunk.length > this.limit;
      this.bytes = Buffer.concat([this.bytes, chunk]).subarray(-this.limit);
    });
    return this;
  }

  get text(): string {
    return `${this.isCut ? '...' : ''}${this.bytes.toString()}`;
  }

  /** The last of it, without half a character at its beginning. @param most in bytes */
  last(most: number): string {
    return endOfText(this.bytes, most);
  }
}

/** The end of a text in UTF-8, without half a character at its beginning. @param most in bytes @internal */
export function endOfText(bytes: Buffer, most: number): string {
  if (most <= 0) return '';
  let start = Math.max(0, bytes.length - most);
  // A character goes on in bytes that begin with the bits 10.
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start);
}
