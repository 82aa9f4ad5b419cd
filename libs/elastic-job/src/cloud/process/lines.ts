import type { Readable, Writable } from 'node:stream';

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
