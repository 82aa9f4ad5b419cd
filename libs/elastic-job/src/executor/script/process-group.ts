import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock, Timer } from '../../clock/index.js';
import type { ExecutorEnd } from '../../domain/index.js';
import { OutputTail } from './output-tail.js';

/** What is started, and how it is ended. */
interface ProcessGroupOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The text of its standard input; undefined: it has none. */
  readonly input?: string | undefined;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly killGraceMs: number;
  /** How much is kept of each output, in bytes. */
  readonly outputLimit: number;
}

/** Windows has no process groups: only the process itself is ended there. */
const HAS_GROUPS = process.platform !== 'win32';

/**
 * A process and all that it starts, as far as that stays in its group.
 *
 * State: it runs; it was told to end (SIGTERM) and has `killGraceMs` for it; it has exited, and what it has left is
 * ended. Guarantee: once `end` has resolved, nothing of the group runs any more, and nothing of it is open here.
 */
export class ProcessGroup {
  readonly stdout: OutputTail;
  readonly stderr: OutputTail;
  /** How the process itself has ended. */
  readonly exited: Promise<ExecutorEnd>;
  /** Nobody who inherited an output has it open any more, and all that was written has been read. */
  private readonly closed: Promise<void>;
  private readonly child: ChildProcess;
  private grace: { readonly timer: Timer; readonly isOver: Promise<void> } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly options: ProcessGroupOptions,
  ) {
    const { command, args, env, input, outputLimit } = options;
    const child = spawn(command, args, {
      detached: HAS_GROUPS,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      env,
      windowsHide: true,
    });
    this.child = child;
    child.stdin?.on('error', () => {}); // It need not read what it is told.
    child.stdin?.end(input);
    this.stdout = new OutputTail(child.stdout!, outputLimit);
    this.stderr = new OutputTail(child.stderr!, outputLimit);
    this.closed = new Promise((resolve) => child.once('close', () => resolve()));
    this.exited = new Promise((resolve) => {
      child.on('error', (error) => resolve({ kind: 'process', error }));
      child.once('exit', (code, signal) => resolve({ kind: 'process', code, signal }));
    });
  }

  /** Tells the group to end, once; what has not ended after the grace is killed. */
  terminate(): void {
    if (this.grace !== undefined) return;
    this.signal('SIGTERM');
    this.grace = this.startGrace();
  }

  /**
   * After the process has exited. What it has left behind has no master any more and is killed; if it was told to end,
   * only once it has closed its outputs, or the grace is over.
   */
  async end(): Promise<void> {
    const wasTold = this.grace !== undefined;
    if (!wasTold) this.signal('SIGKILL');
    const { timer, isOver } = (this.grace ??= this.startGrace());
    await Promise.race([this.closed, isOver]);
    timer.cancel();
    if (wasTold) this.signal('SIGKILL');
    this.child.stdin?.destroy();
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  private startGrace(): { readonly timer: Timer; readonly isOver: Promise<void> } {
    let end = (): void => {};
    const isOver = new Promise<void>((resolve) => (end = resolve));
    const timer = this.clock.setTimer(this.options.killGraceMs, () => {
      this.signal('SIGKILL');
      end();
    });
    return { timer, isOver };
  }

  private signal(signal: NodeJS.Signals): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      process.kill(HAS_GROUPS ? -pid : pid, signal);
    } catch {
      // Nobody is left to hear it.
    }
  }
}
