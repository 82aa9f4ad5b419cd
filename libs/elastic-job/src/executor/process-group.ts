import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { Duplex, type Readable } from 'node:stream';
import type { Clock, Timer } from '../clock/index.js';
import { codeOf, type ExecutorEnd, nameOf } from '../domain/index.js';

/** A program, its environment, and how it is ended. @internal */
interface ProcessGroupOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** @default this process's */
  readonly workingDirectory?: string | undefined;
  /** Text for its standard input; undefined: no standard input. */
  readonly input?: string | undefined;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly killGraceMs: number;
  /** Most bytes that are kept of each output. */
  readonly outputLimit: number;
  /** True: standard error is kept together with the output, in the order of arrival. @default apart */
  readonly mergesOutput?: boolean;
  /** True: its descriptor 3 is a stream in both directions. @default none */
  readonly hasChannel?: boolean;
}

/**
 * How long the outputs of a group that has ended are read, in milliseconds. They stay open for longer only if a process
 * has left the group with them.
 */
const LAST_WORDS_MS = 2_000;

/** Windows has no process groups: only the process itself can be ended there. */
const HAS_GROUPS = process.platform !== 'win32';

/**
 * A process with everything that it starts and that stays in its group.
 *
 * State: it runs; it was told to end (SIGTERM) and has `killGraceMs` left; it has exited, and what it has left behind
 * is ended. Guarantee: once `end` has resolved, nothing of the group runs any more, and nothing of it is open here.
 * @internal
 */
export class ProcessGroup {
  readonly stdout: OutputTail;
  readonly stderr: OutputTail;
  /** Its descriptor 3. */
  readonly channel: Duplex | undefined;
  /** How the process itself ended. */
  readonly exited: Promise<ExecutorEnd>;
  /** Resolves when no process has an inherited output open any more, and everything written has been read. */
  private readonly closed: Promise<void>;
  /** Undefined if it could not be started. */
  private readonly child: ChildProcess | undefined;
  private grace: { readonly timer: Timer; readonly isOver: Promise<void> } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly options: ProcessGroupOptions,
  ) {
    const { command, input, outputLimit, mergesOutput = false } = options;
    const { child, error: fault } = start(options);
    this.child = child;
    this.exited = new Promise((resolve) => {
      if (fault) resolve({ kind: 'process', error: fault });
      child?.on('error', (error) => resolve({ kind: 'process', error: startFault(command, error) }));
      child?.once('exit', (code, signal) => resolve({ kind: 'process', code, signal }));
    });
    this.closed = new Promise((resolve) => {
      // A process that could not start has no descriptors to close.
      if (child?.pid === undefined) return resolve();
      child.once('close', () => resolve());
    });
    child?.stdin?.on('error', () => {}); // The process may not read its input.
    child?.stdin?.end(input);
    this.stdout = new OutputTail(outputLimit).follow(child?.stdout);
    this.stderr = (mergesOutput ? this.stdout : new OutputTail(outputLimit)).follow(child?.stderr);
    const channel = child?.stdio?.[3];
    this.channel = channel instanceof Duplex ? channel : undefined;
    this.channel?.on('error', () => {}); // It may close its channel as well.
  }

  /** The id of the process, and of its group. Undefined if it could not be started. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /**
   * Tells the group to end, once, and kills it after the grace.
   * @param graceMs milliseconds
   * @param kill kills it, together with what is not in the group
   */
  terminate(graceMs = this.options.killGraceMs, kill = () => this.kill()): void {
    if (this.grace !== undefined) return;
    this.signal('SIGTERM');
    this.grace = this.startGrace(graceMs, kill);
  }

  /** Kills the group without grace. */
  kill(): void {
    this.signal('SIGKILL');
  }

  /**
   * Call after the process has exited. Kills what it has left behind; if it was told to end, only once its outputs are
   * closed or the grace is over. Otherwise their rest is read for a moment.
   */
  async end(): Promise<void> {
    const wasAsked = this.grace !== undefined;
    if (!wasAsked) this.signal('SIGKILL');
    const { timer, isOver } = (this.grace ??= this.startGrace(LAST_WORDS_MS, () => this.kill()));
    await Promise.race([this.closed, isOver]);
    timer.cancel();
    if (wasAsked) this.signal('SIGKILL');
    this.child?.stdin?.destroy();
    this.child?.stdout?.destroy();
    this.child?.stderr?.destroy();
    this.channel?.destroy();
  }

  private startGrace(graceMs: number, kill: () => void): { readonly timer: Timer; readonly isOver: Promise<void> } {
    let end = (): void => {};
    const isOver = new Promise<void>((resolve) => (end = resolve));
    const timer = this.clock.setTimer(graceMs, () => {
      kill();
      end();
    });
    return { timer, isOver };
  }

  private signal(signal: NodeJS.Signals): void {
    const { pid } = this;
    if (pid === undefined) return;
    try {
      process.kill(HAS_GROUPS ? -pid : pid, signal);
    } catch {
      // The group is gone.
    }
  }
}

/** Some starts are refused by an event of the process, and some by a throw. */
function start(options: ProcessGroupOptions): { readonly child?: ChildProcess; readonly error?: Error } {
  const { command, args, env, workingDirectory: cwd } = options;
  try {
    const child = spawn(command, args, { detached: HAS_GROUPS, stdio: stdioOf(options), env, cwd, windowsHide: true });
    return { child };
  } catch (error) {
    return { error: startFault(command, error) };
  }
}

/** The error of a start, with its code alone: its message and its fields may repeat the arguments. */
function startFault(command: string, error: unknown): Error {
  const code = codeOf(error) || nameOf(error);
  return Object.assign(new Error(`spawn ${command} ${code}`), { code });
}

function stdioOf({ input, hasChannel = false }: ProcessGroupOptions): StdioOptions {
  return [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...(hasChannel ? ['pipe' as const] : [])];
}

/**
 * The end of a process's output, where its last error usually stands. The rest is read and dropped.
 * @internal
 */
export class OutputTail {
  private bytes: Buffer = Buffer.alloc(0);
  private isCut = false;

  /** @param limit in bytes */
  constructor(private readonly limit: number) {}

  /** Reads the stream to its end. Pieces of several streams are kept in the order of their arrival. */
  follow(stream: Readable | null | undefined): this {
    stream?.on('data', (chunk: Buffer) => {
      this.isCut ||= this.bytes.length + chunk.length > this.limit;
      const all = Buffer.concat([this.bytes, chunk]);
      this.bytes = all.subarray(Math.max(0, all.length - this.limit));
    });
    return this;
  }

  get text(): string {
    return `${this.isCut ? '...' : ''}${this.bytes.toString()}`;
  }

  /** The last bytes, without a broken character at the beginning. @param most in bytes */
  last(most: number): string {
    return endOfText(this.bytes, most);
  }
}

/** The end of a text in UTF-8, without a broken character at the beginning. @param most in bytes @internal */
export function endOfText(bytes: Buffer, most: number): string {
  if (most <= 0) return '';
  let from = Math.max(0, bytes.length - most);
  // Continuation bytes of a character begin with the bits 10.
  while (from < bytes.length && (bytes[from]! & 0xc0) === 0x80) from += 1;
  return bytes.toString('utf8', from);
}

/** Variables that every child process inherits: they say where programs are, and how texts are written. */
const INHERITED: ReadonlySet<string> = new Set([
  'PATH',
  'SYSTEMROOT',
  'LANG',
  'LANGUAGE',
  // By name, since a prefix would let an LC_PASSWORD through. @see POSIX, and glibc's locale(7)
  'LC_ADDRESS',
  'LC_ALL',
  'LC_COLLATE',
  'LC_CTYPE',
  'LC_IDENTIFICATION',
  'LC_MEASUREMENT',
  'LC_MESSAGES',
  'LC_MONETARY',
  'LC_NAME',
  'LC_NUMERIC',
  'LC_PAPER',
  'LC_TELEPHONE',
  'LC_TIME',
]);

/**
 * Variables that a child process inherits: `PATH`, the locale, and only the named ones besides.
 * @param names further variables
 * @internal
 */
export function inheritedEnvironment(names: readonly string[] = []): NodeJS.ProcessEnv {
  return Object.fromEntries(
    // Windows has names in any case, such as `Path`.
    Object.entries(process.env).filter(([name]) => INHERITED.has(name.toUpperCase()) || names.includes(name)),
  );
}
