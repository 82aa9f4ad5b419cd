import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { guard } from '../zookeeper/guard.js';
import type { PeerEvent, Told } from './journal.js';

interface Reply {
  readonly event?: undefined;
  readonly id: number;
  readonly result?: unknown;
  readonly failed?: string;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const WORDS = 8_000;
const START_LIMIT_MS = 30_000;
const CALL_LIMIT_MS = 20_000;

/**
 * A process that is driven by lines of JSON: `{ id, call, with }` is answered by `{ id, result }` or `{ id, failed }`,
 * and its events are lines with an `event`. It ends with this process at the latest.
 */
export class PeerProcess {
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<void>;
  readonly #pending = new Map<number, Pending>();
  readonly #child: ChildProcess;
  #lastId = 0;
  #words = '';
  #ready!: () => void;
  readonly #isReady = new Promise<void>((resolve) => (this.#ready = resolve));

  constructor(
    readonly name: string,
    command: readonly string[],
    private readonly hear: (event: PeerEvent) => void,
  ) {
    const [program = '', ...rest] = command;
    this.#child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'pipe'] });
    // Its standard input closes with this process, but a paused process does not notice.
    const killer = guard('kill -KILL "$1"', String(this.#child.pid));
    this.ended = once(this.#child, 'exit').then(() => {
      killer.cancel();
      for (const id of this.#pending.keys())
        this.#settle({ id, failed: `${this.name} has ended: ${this.lastWords()}` });
      return undefined;
    });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#read(line));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#words = (this.#words + text).slice(-WORDS);
    });
    // A line for a process that has ended is lost.
    this.#child.stdin!.on('error', () => {});
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Its last lines on standard error. */
  lastWords(): string {
    return this.#words.trim();
  }

  /** @throws if it does not report that it is ready within the limit */
  async untilReady(): Promise<void> {
    const died = this.ended.then(() => {
      throw this.#error('has ended');
    });
    await within(START_LIMIT_MS, Promise.race([this.#isReady, died]), () => this.#error('does not start'));
  }

  /** @throws the error of the process, or if there is no answer within the limit */
  call(name: string, facts: object = {}, limitMs = CALL_LIMIT_MS): Promise<unknown> {
    const id = (this.#lastId += 1);
    const answer = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#child.stdin!.write(`${JSON.stringify({ id, call: name, with: facts })}\n`);
    return within(limitMs, answer, () => this.#error(`does not answer ${name} in ${limitMs} ms`));
  }

  /** SIGSTOP. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  /** SIGCONT. */
  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** SIGKILL, which also ends a paused process. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #read(line: string): void {
    const told: Reply | Told = JSON.parse(line);
    if (isReply(told)) this.#settle(told);
    else if (told.event === 'ready') this.#ready();
    else this.hear({ ...told, peer: this.name });
  }

  #settle({ id, result, failed }: Reply): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (failed === undefined) pending?.resolve(result);
    else pending?.reject(new Error(`${this.name}: ${failed}`));
  }

  #error(what: string): Error {
    return new Error(`${this.name} ${what}: ${this.lastWords()}`);
  }
}

function isReply(told: Reply | Told): told is Reply {
  return told.event === undefined;
}

async function within<T>(limitMs: number, work: Promise<T>, error: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(error()), limitMs)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
