import { type FileHandle, open, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../clock/index.js';
import { linesBackwards, readAt } from './lines-of-file.js';

/** Lines that are written, and made durable, together. */
interface Batch {
  readonly lines: string[];
  readonly isWritten: Promise<void>;
}

/** Name of a file that is full, behind that of the file: the instant, and chance. */
const FULL = /^\.\d{8}T\d{9}Z-[\da-f]{8}$/;

/**
 * A file to which lines are appended by any number of processes of a host.
 *
 * - Guarantee: `append` resolves once the lines are on the disk. Lines that come while others are being written share
 *   the next `fsync`.
 * - Each write is whole lines, in one call, at the end of the file, where the system puts it after those of others.
 * - A crash or a full disk may cut the last line short. The next write begins a line of its own, so it costs no other.
 * - A full file is renamed, and a new one begins. A process that has the former one open sees that before its next
 *   write; what it has written meanwhile stands in the renamed file. The same holds for a file that others rename.
 */
export class AuditFile {
  private handle: FileHandle | undefined;
  private next: Batch | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(
    readonly path: string,
    private readonly maxBytes: number,
    private readonly clock: Clock,
  ) {}

  /** @throws the error of the system; some of the lines may be there */
  append(line: string): Promise<void> {
    this.next ??= this.newBatch();
    this.next.lines.push(line);
    return this.next.isWritten;
  }

  /** Renamed files that are full, the newest first. */
  async fullFiles(): Promise<readonly string[]> {
    const folder = dirname(this.path);
    const name = basename(this.path);
    const names = await readdir(folder);
    return names
      .filter((other) => other.startsWith(name) && FULL.test(other.slice(name.length)))
      .toSorted((a, b) => (a < b ? 1 : -1))
      .map((other) => join(folder, other));
  }

  /** All lines, the newest first. A file that is renamed meanwhile is read once. */
  async *linesBackwards(): AsyncGenerator<string> {
    const current = await opened(this.path);
    const seen = await current?.stat();
    try {
      if (current !== undefined && seen !== undefined) yield* linesBackwards(current, seen.size);
    } finally {
      await current?.close();
    }
    for (const path of await this.fullFiles()) {
      const full = await opened(path);
      try {
        const { ino, size } = (await full?.stat()) ?? { ino: undefined, size: 0 };
        if (full !== undefined && ino !== seen?.ino) yield* linesBackwards(full, size);
      } finally {
        await full?.close();
      }
    }
  }

  async close(): Promise<void> {
    await this.last;
    await this.release();
  }

  private newBatch(): Batch {
    const lines: string[] = [];
    const isWritten = this.last.then(() => {
      this.next = undefined;
      return this.write(lines.join(''));
    });
    // After a failure the next batch opens the file anew.
    this.last = isWritten.catch(() => this.release()).catch(() => {});
    return { lines, isWritten };
  }

  private async write(text: string): Promise<void> {
    const file = await this.current();
    const bytes = Buffer.from((await isWhole(file)) ? text : `\n${text}`);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) {
      throw new Error(`${this.path} took ${bytesWritten} of ${bytes.length} bytes; has its disk space left?`);
    }
    await file.datasync();
  }

  /** The file at the path, with space left. */
  private async current(): Promise<FileHandle> {
    const there = await statOf(this.path);
    const mine = await this.handle?.stat();
    if (mine?.ino !== there?.ino || mine?.dev !== there?.dev) await this.release();
    if (there !== undefined && there.size >= this.maxBytes) await this.rename();
    if (this.handle === undefined) {
      this.handle = await open(this.path, 'a+', 0o600);
      await syncFolder(dirname(this.path));
    }
    return this.handle;
  }

  /** Another process may do so as well: it then renames the new file, which costs nothing but one more name. */
  private async rename(): Promise<void> {
    await this.release();
    const at = new Date(this.clock.wallNow()).toISOString().replaceAll(/[-:.]/g, '');
    await rename(this.path, `${this.path}.${at}-${this.clock.uuid().slice(0, 8)}`).catch(ifMissing);
  }

  private async release(): Promise<void> {
    const { handle } = this;
    this.handle = undefined;
    await handle?.close();
  }
}

/** @returns undefined if there is no such file */
export async function opened(path: string): Promise<FileHandle | undefined> {
  return open(path, 'r').catch(ifMissing);
}

async function statOf(path: string) {
  return stat(path).catch(ifMissing);
}

function ifMissing(error: unknown): undefined {
  if (Reflect.get(Object(error), 'code') !== 'ENOENT') throw error;
}

/** True if the file ends with a whole line. */
async function isWhole(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  return size === 0 || (await readAt(file, size - 1, 1)).toString() === '\n';
}

/** Makes a new name durable. A system that cannot open folders does so by itself. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
