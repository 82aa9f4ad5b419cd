import type { Readable } from 'node:stream';

/**
 * The end of a process's output, where its last error usually stands. The rest is read and dropped.
 * @internal
 */
export class OutputTail {
  private bytes: Buffer = Buffer.alloc(0);
  private isCut = false;

  /** @param limit in bytes */
  constructor(private readonly limit: number) {}

  /** Reads the stream to its end. Pieces of several streams are kept in the order of their arrival. */
  follow(stream: Readable | null | undefined): this {
    stream?.on('data', (chunk: Buffer) => {
      this.isCut ||= this.bytes.length + chunk.length > this.limit;
      const all = Buffer.concat([this.bytes, chunk]);
      this.bytes = all.subarray(Math.max(0, all.length - this.limit));
    });
    return this;
  }

  get text(): string {
    return `${this.isCut ? '...' : ''}${this.bytes.toString()}`;
  }

  /** The last bytes, without a broken character at the beginning. @param most in bytes */
  last(most: number): string {
    return endOfText(this.bytes, most);
  }
}

/** The end of a text in UTF-8, without a broken character at the beginning. @param most in bytes @internal */
export function endOfText(bytes: Buffer, most: number): string {
  if (most <= 0) return '';
  let start = Math.max(0, bytes.length - most);
  // Continuation bytes of a character begin with the bits 10.
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start);
}
