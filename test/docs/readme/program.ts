import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { type Guard, guard } from '@test/support/zookeeper/guard.js';

const LIMIT_MS = 30_000;

export interface ProgramOptions {
  readonly cwd: string;
  /** Variables in addition to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the output of the program. */
  readonly onOutput?: (text: string) => void;
}

/** A command with its output. It has a process group of its own, all of which ends with this process at the latest. */
export class Program {
  /** Resolves with its exit code, or the signal that has ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  private readonly child: ChildProcess;
  private readonly killer: Guard;
  private readonly news = new EventEmitter();
  private written = '';
  private hasEnded = false;

  constructor(command: string, args: readonly string[], { cwd, env, onOutput = () => {} }: ProgramOptions) {
    this.child = spawn(command, args, { cwd, env: { ...process.env, ...env }, detached: true, stdio: 'pipe' });
    this.killer = guard('kill -s KILL -- "-$1"', String(this.child.pid));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.written += stripVTControlCharacters(text);
        onOutput(text);
        this.news.emit('news');
      });
    }
    this.ended = once(this.child, 'close').then(([code, signal]) => {
      this.hasEnded = true;
      this.killer.cancel();
      this.news.emit('news');
      return signal ?? code;
    });
  }

  /** Of the program, and of its process group. */
  get pid(): number {
    return this.child.pid!;
  }

  /** Its output so far, without colours. */
  get output(): string {
    return this.written;
  }

  /**
   * The first match in its output, past or future.
   * @param since an earlier length of `output`, from where to look
   * @throws if the program ends before, or the limit passes; the message has its last lines
   */
  async says(pattern: RegExp, since = 0, limitMs = LIMIT_MS): Promise<RegExpExecArray> {
    const signal = AbortSignal.timeout(limitMs);
    for (;;) {
      const match = pattern.exec(this.written.slice(since));
      if (match) return match;
      if (this.hasEnded) throw new Error(`The program has ended without ${pattern}: ${this.lastLines()}`);
      await once(this.news, 'news', { signal }).catch((cause: unknown) => {
        throw new Error(`The program has not said ${pattern} in ${limitMs} ms: ${this.lastLines()}`, { cause });
      });
    }
  }

  /** Types a line. */
  type(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  /** Ends it as Ctrl-C and an orchestrator do. */
  async end(signal: 'SIGINT' | 'SIGTERM'): Promise<number | NodeJS.Signals> {
    this.child.kill(signal);
    return this.ended;
  }

  /** Kills the rest of the group. */
  async kill(): Promise<void> {
    if (!this.hasEnded) await this.killer.release();
    await this.ended;
  }

  private lastLines(): string {
    return this.written.split('\n').slice(-30).join('\n');
  }
}
