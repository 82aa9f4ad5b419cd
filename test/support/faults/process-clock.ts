import { access, mkdtemp, readdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guard, type Guard } from '../zookeeper/guard.js';

const LIBRARIES = '/usr/lib';
/** The library for programs with threads. */
const LIBRARY = 'faketime/libfaketimeMT.so.1';

const MISSING = 'A process with a clock of its own needs Debian\'s "faketime".';

/** Reason why this machine cannot give processes their own clocks, as a sentence for a skipped test. */
export async function whyNoProcessClock(): Promise<string | undefined> {
  return (await findLibrary()) === undefined ? MISSING : undefined;
}

/**
 * The wall clock of one process, which can differ from the host's and be stepped while it runs. Its monotonic clock
 * stays the host's. The process takes it from its environment when it starts.
 * @see libfaketime, README, "Advanced time specification options"
 */
export class ProcessClock {
  #offsetMs = 0;
  #steps: Promise<void> = Promise.resolve();

  private constructor(
    private readonly library: string,
    private readonly file: string,
    private readonly removal: Guard,
  ) {}

  /** @throws if the machine lacks Debian's `faketime` */
  static async make(offsetMs = 0): Promise<ProcessClock> {
    const library = await findLibrary();
    if (library === undefined) throw new Error(MISSING);
    const directory = await mkdtemp(join(tmpdir(), 'clock-'));
    const clock = new ProcessClock(library, join(directory, 'offset'), guard('rm -rf "$1"', directory));
    await clock.set(offsetMs);
    return clock;
  }

  /** Milliseconds that it is ahead of the host's clock. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** The environment of the process. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.file,
      // A step counts from the next reading of the clock on.
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // With the fix, timed waits of a JVM on the monotonic clock end at once.
      FAKETIME_FORCE_MONOTONIC_FIX: '0',
      NO_FAKE_STAT: '1',
    };
  }

  /** The command that starts the program with this clock, under the same process id. */
  command(command: readonly string[]): readonly string[] {
    return ['env', ...Object.entries(this.environment).map(([name, value]) => `${name}=${value}`), ...command];
  }

  /** Steps it. Resolves when the process sees it. */
  async set(offsetMs: number): Promise<void> {
    this.#offsetMs = offsetMs;
    const written = this.#steps.then(() => this.#write(offsetMs));
    this.#steps = written;
    await written;
  }

  /** Removes its files. Its process must have ended. */
  async stop(): Promise<void> {
    await this.#steps;
    await this.removal.release();
  }

  /** A reader sees the old text or the new one, never half of it. */
  async #write(offsetMs: number): Promise<void> {
    await writeFile(`${this.file}.next`, inSeconds(offsetMs));
    await rename(`${this.file}.next`, this.file);
  }
}

function inSeconds(ms: number): string {
  return `${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1_000).toFixed(3)}`;
}

/** Finds it below the name of the processor's kind, where Debian puts it. */
async function findLibrary(): Promise<string | undefined> {
  for (const directory of await readdir(LIBRARIES)) {
    const library = join(LIBRARIES, directory, LIBRARY);
    const isThere = await access(library).then(
      () => true,
      () => false,
    );
    if (isThere) return library;
  }
  return undefined;
}
