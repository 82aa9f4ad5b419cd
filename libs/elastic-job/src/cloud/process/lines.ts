// Lines between processes: read and written as JSON, and written to a task that may not read.
import { writeSync } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';

const LINE_FEED = 0x0a;

/** Reads a stream line by line. A line beyond the limit is skipped as a whole. @param most in bytes */
export function readLines(stream: Readable, most: number, take: (line: string) => void): void {
  readBatches(stream, most, (lines) => lines.forEach((line) => take(line)));
}

/**
 * Reads the lines of a stream, all at once that have become whole by the same piece. A line beyond the limit is skipped
 * as a whole, so that no sender can fill this process's memory.
 * @param most in bytes
 * @param tooLong called for each line beyond the limit
 */
export function readBatches(
  stream: Readable,
  most: number,
  take: (lines: readonly string[]) => void,
  tooLong = (): void => {},
): void {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    if (length <= most && length + part.length > most) tooLong();
    length += part.length;
    if (length <= most) parts.push(part);
    else parts = [];
  };
  stream.on('data', (chunk: Buffer) => {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      const line = length <= most ? Buffer.concat(parts).toString() : undefined;
      [parts, length, start] = [[], 0, end + 1];
      if (line !== undefined && line !== '') lines.push(line);
    }
    add(chunk.subarray(start));
    if (lines.length > 0) take(lines);
  });
}

/** Writes a value as a line of JSON. */
export function writeLine(stream: Writable, value: unknown): void {
  if (stream.writable) stream.write(`${JSON.stringify(value)}\n`);
}

/** Reads a line of JSON. @returns undefined if it is none */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Most bytes that a task may leave unread: a program without a channel never reads. */
const MOST_UNREAD = 65_536;

/**
 * Writes lines into the channel of a task, without using its stream. A stream that cannot write destroys itself, and
 * with it the last lines of its task that are still unread.
 */
export class ChannelWriter {
  private unwritten = Buffer.alloc(0);
  /** Follows what is unwritten. */
  private newest: string | undefined;

  constructor(private readonly channel: Duplex | undefined) {}

  /** Writes the line, or keeps it until the task has read some of the earlier ones. */
  write(line: string): void {
    this.add(line);
    this.flush();
  }

  /** Writes the line, or keeps it until there is room for it or a newer one has come in its place. */
  writeNewest(line: string): void {
    this.newest = line;
    this.flush();
  }

  private add(line: string): void {
    if (this.unwritten.length < MOST_UNREAD) this.unwritten = Buffer.concat([this.unwritten, Buffer.from(`${line}\n`)]);
  }

  private flush(): void {
    const descriptor = this.descriptor();
    if (descriptor === undefined) return;
    try {
      this.unwritten = this.unwritten.subarray(writeSync(descriptor, this.unwritten));
      if (this.newest === undefined || this.unwritten.length > 0) return;
      this.add(this.newest);
      this.newest = undefined;
      this.unwritten = this.unwritten.subarray(writeSync(descriptor, this.unwritten));
    } catch {
      // The buffer is full, or the channel is closed: the next line tries again.
    }
  }

  /** Undefined once the channel is closed: another file may have the number then. */
  private descriptor(): number | undefined {
    const handle: unknown = this.channel && Reflect.get(this.channel, '_handle');
    if (typeof handle !== 'object' || handle === null || !('fd' in handle)) return undefined;
    return typeof handle.fd === 'number' && handle.fd >= 0 ? handle.fd : undefined;
  }
}
