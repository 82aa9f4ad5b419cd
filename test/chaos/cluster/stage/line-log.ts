import { closeSync, fdatasync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const flush = promisify(fdatasync);

/** An append-only log of lines of JSON, which outlives the death of its writer at any moment. */
export class LineLog {
  readonly #file: number;
  #flushing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  /** Appends the line in one write, at once. Resolves when it is on the disk. */
  append(line: object): Promise<void> {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    // A running flush may have begun before this line. The next flush takes all lines that came meanwhile.
    this.#next ??= this.#flush(this.#flushing);
    return this.#next;
  }

  async close(): Promise<void> {
    await (this.#next ?? this.#flushing);
    closeSync(this.#file);
  }

  async #flush(previous: Promise<void> | undefined): Promise<void> {
    await previous;
    this.#flushing = this.#next;
    this.#next = undefined;
    await flush(this.#file);
  }
}
