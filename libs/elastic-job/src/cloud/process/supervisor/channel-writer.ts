import { writeSync } from 'node:fs';
import type { Duplex } from 'node:stream';

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
