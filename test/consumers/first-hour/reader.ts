import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Block } from '../../docs/blocks/blocks.js';
import { exceptionFor } from '../../docs/blocks/exceptions.js';
import { Program } from '../../docs/readme/program.js';

/** Installing from a registry takes the most time. */
const BLOCK_LIMIT_MS = 180_000;
/** The folder that the first block of the page creates. */
const PROJECT = 'reports';

/** Output that a reader waits for around a block of commands. */
export interface Sight {
  /** The last line of the block. */
  readonly command: string;
  /** Called before the block is typed. */
  readonly before?: () => Promise<void>;
  /** Called once the block has been typed, which need not have ended. `since` is the length of the output before it. */
  readonly after: (since: number) => Promise<void>;
}

export interface ReaderOptions {
  /** The package to install for `npm i nestjs-elastic-job`. */
  readonly tarball: string;
  /** The ZooKeeper to use for that of `docker run`. */
  readonly servers: string;
}

/** Follows a page with one terminal and an editor, in a folder that is empty at first. */
export class Reader {
  /** The process ids of background commands, in the order of the shell's jobs. */
  jobs: readonly number[] = [];
  private typed = 0;
  private readonly seen = new Set<Sight>();

  private constructor(
    private readonly folder: string,
    private readonly options: ReaderOptions,
    readonly terminal: Program,
  ) {}

  static async in(folder: string, options: ReaderOptions): Promise<Reader> {
    await mkdir(folder);
    const env = { NO_COLOR: '1', npm_config_update_notifier: 'false' };
    const onOutput = (text: string) => void process.stdout.write(text);
    const terminal = new Program('bash', [], { cwd: folder, env, onOutput });
    // Prints every failed command, whatever comes after it. A command that a signal has ended has not failed.
    terminal.type(`trap '[ $? -gt 128 ] || echo "[failed: $BASH_COMMAND]"' ERR`);
    return new Reader(folder, options, terminal);
  }

  /** Writes a block of code to its file, or types a block of commands and waits for its end. */
  async follow(block: Block, sights: readonly Sight[]): Promise<void> {
    if (block.language !== 'sh') return this.write(block);
    const commands = this.commandsOf(block);
    if (commands === undefined) return;
    const sight = sights.find((one) => !this.seen.has(one) && commands.endsWith(one.command));
    await sight?.before?.();
    const since = this.terminal.output.length;
    const end = await this.type(commands);
    if (sight) {
      this.seen.add(sight);
      await sight.after(since);
    }
    await end();
  }

  /** @throws if no block of the page has led to one of the sights */
  assertSeen(sights: readonly Sight[]): void {
    const missed = sights.filter((sight) => !this.seen.has(sight)).map(({ command }) => command);
    if (missed.length > 0) throw new Error(`README.md has no block that ends with ${missed.join(' or ')}.`);
  }

  /** Closes the terminal, with all that runs in it. */
  leave(): Promise<void> {
    return this.terminal.kill();
  }

  private async write({ file, text }: Block): Promise<void> {
    if (file === undefined) return;
    const path = join(this.folder, PROJECT, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }

  private commandsOf(block: Block): string | undefined {
    if (block.text.startsWith('docker run')) return `export ZOOKEEPER_SERVERS=${this.options.servers}`;
    if (exceptionFor(block)) return undefined;
    return block.text.trim().replace('npm i nestjs-elastic-job', `npm i ${this.options.tarball}`);
  }

  /**
   * Uses a file, because a command could read the ones after it as its input. @returns a function that awaits their end
   */
  private async type(commands: string): Promise<() => Promise<void>> {
    const number = (this.typed += 1);
    const since = this.terminal.output.length;
    const began = performance.now();
    const file = join(this.folder, '..', `block-${number}.sh`);
    await writeFile(file, `${commands}\n`);
    console.log(`\n== ${commands.replaceAll('\n', '\n== ')}`);
    this.terminal.type(`. ${file} </dev/null`);
    this.terminal.type(`echo "[block ${number}: $(jobs -pr | tr '\\n' ' ')]"`);
    return async () => {
      const end = new RegExp(String.raw`\[(?:block ${number}: ([\d ]*)|failed: .*)\]`);
      const [said, jobs = ''] = await this.terminal.says(end, since, BLOCK_LIMIT_MS);
      if (said.startsWith('[failed')) throw new Error(`A command of README.md does not work: ${said}`);
      this.jobs = jobs.split(' ').filter(Boolean).map(Number);
      console.log(`== ${Math.round((performance.now() - began) / 100) / 10} s`);
    };
  }
}
