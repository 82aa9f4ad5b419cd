import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { guard } from '../zookeeper/guard.js';

const HOOKS = new URL('./typescript-hooks.mjs', import.meta.url).href;
const REGISTER = `data:text/javascript,import{register}from"node:module";register(${JSON.stringify(HOOKS)})`;
const RECEIVE_LIMIT_MS = 10_000;
const WORDS = 4_000;

/** The end of a process. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A process of its own that runs a script, exchanges messages, and can be stopped or killed. It ends with this process
 * at the latest.
 */
export class ClientProcess {
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<ProcessEnd>;
  readonly #unread: unknown[] = [];
  #lastRead: unknown;
  readonly #news = new EventEmitter();
  #hasEnded = false;
  #words = '';

  constructor(private readonly child: ChildProcess) {
    const killer = guard('kill -KILL "$1"', String(this.pid));
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#hasEnded = true;
        this.#news.emit('news');
        killer.cancel();
        resolve({ code, signal });
      });
    });
    // A message to a process that has ended is lost.
    child.on('error', () => {});
    child.on('message', (message) => {
      this.#unread.push(message);
      this.#news.emit('news');
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#words = (this.#words + text).slice(-WORDS)));
    }
  }

  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error('The client process could not be started.');
    return pid;
  }

  /** Its last output, standard output and error alike. */
  lastWords(): string {
    return this.#words.trim();
  }

  /** Sends it a message by IPC, for `process.on('message', ...)` there. */
  send(message: string | object): void {
    this.child.send(message);
  }

  /**
   * The first matching message that was not yet received. The others stay.
   * @throws if the limit, in milliseconds, passes or the process ends before; the message has its last words, and the
   * messages that are there
   */
  async receive<T>(matches: (message: unknown) => message is T, limitMs?: number): Promise<T>;
  async receive(matches?: (message: unknown) => boolean, limitMs?: number): Promise<unknown>;
  async receive(matches: (message: unknown) => boolean = () => true, limitMs = RECEIVE_LIMIT_MS): Promise<unknown> {
    const signal = AbortSignal.timeout(limitMs);
    for (;;) {
      const index = this.#unread.findIndex((message) => matches(message));
      if (index >= 0) return (this.#lastRead = this.#unread.splice(index, 1)[0]);
      if (this.#hasEnded) throw new Error(`The client process has ended: ${this.#state()}`);
      try {
        await once(this.#news, 'news', { signal });
      } catch (cause) {
        throw new Error(`No such message from the client process in ${limitMs} ms: ${this.#state()}`, { cause });
      }
    }
  }

  /** Explains why a message is missing. */
  #state(): string {
    const messages = inspect({ received: this.#lastRead, unread: this.#unread }, { depth: 3, breakLength: Infinity });
    return `${this.lastWords()}\n${messages}`;
  }

  /** SIGSTOP. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  /** SIGCONT. */
  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** SIGKILL, which also ends a paused process. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** As `kill`; without effect on a process that has ended. */
  stop(): Promise<void> {
    return this.kill();
  }
}

/**
 * Runs a script, which may be TypeScript, in a process of its own.
 * @param script such as `new URL('./client.ts', import.meta.url)`
 * @param environment in addition to this process's own
 */
export function forkClient(
  script: URL,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): ClientProcess {
  const child = fork(fileURLToPath(script), args, {
    env: { ...process.env, ...environment },
    execArgv: ['--enable-source-maps', '--import', REGISTER],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  return new ClientProcess(child);
}
