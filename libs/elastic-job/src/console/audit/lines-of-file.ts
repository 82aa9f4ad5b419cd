import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 65_536;
/** Longest line, in bytes. The parts of a longer one are no lines of ours. */
const MOST_BYTES = 4_194_304;
const LINE_FEED = 0x0a;

/** The whole lines of a file from a place on. `end` is the place behind the line. */
export async function* linesForwards(
  file: FileHandle,
  start: number,
): AsyncGenerator<{ readonly text: string; readonly end: number }> {
  let rest: Buffer = Buffer.alloc(0);
  let at = start;
  for (let chunk = await readAt(file, at, CHUNK_BYTES); chunk.length > 0; chunk = await readAt(file, at, CHUNK_BYTES)) {
    at += chunk.length;
    const bytes = Buffer.concat([rest, chunk]);
    const before = at - bytes.length;
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      yield { text: bytes.toString('utf8', from, end), end: before + end + 1 };
      from = end + 1;
    }
    rest = bounded(bytes.subarray(from));
  }
}

/** The lines of a file that has `size` bytes, the last one first, in memory for a few of them. */
export async function* linesBackwards(file: FileHandle, size: number): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const bytes = Buffer.concat([await readAt(file, start, end - start), rest]);
    end = start;
    let to = bytes.length;
    for (let feed = bytes.lastIndexOf(LINE_FEED); feed !== -1; feed = lastFeed(bytes, to)) {
      yield bytes.toString('utf8', feed + 1, to);
      to = feed;
    }
    rest = bounded(bytes.subarray(0, to));
  }
  yield rest.toString('utf8');
}

function lastFeed(bytes: Buffer, before: number): number {
  return before === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, before - 1);
}

function bounded(rest: Buffer): Buffer {
  return rest.length > MOST_BYTES ? Buffer.alloc(0) : rest;
}

/** The bytes that the file has there, which may be fewer. */
export async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position);
  return buffer.subarray(0, bytesRead);
}
