import type { Duplex } from 'node:stream';
import { type Clock, hostMonotonicNow, type Timer } from '../../../clock/index.js';
import { type ExecutorEnd, show } from '../../../domain/index.js';
import { ProcessGroup } from '../../../executor/index.js';
import { type ChannelGrant, leftOfGrant, MOST_CHANNEL_LINE_BYTES, type TaskInstruction } from '../../task-channel.js';
import { TASK_VARIABLE } from '../../task-envelope.js';
import { ChannelWriter, readBatches } from '../lines.js';
import { killAll, type ProcessTable, residentBytesOf, TaskProcesses } from '../process-table.js';
import { type DeathSignal, isDirectory } from './programs.js';
import {
  type EndCause,
  type Grant,
  SILENT,
  type StartOrder,
  type SupervisorReport,
  type TaskEnding,
} from './supervisor-messages.js';

const MEBIBYTE = 1_048_576;
/** Most bytes of its channel that are read after its exit: more than the kernel has kept of it. */
const MOST_LAST_BYTES = MEBIBYTE;
/** Pauses between looks for processes that are being killed, in milliseconds. */
const FIRST_LOOK_MS = 5;
const LONGEST_LOOK_MS = 500;

/** Tools of the supervision. */
export interface Supervision {
  readonly clock: Clock;
  /** In bytes. */
  readonly outputLimit: number;
  readonly deathSignal: Pick<DeathSignal, 'applied'>;
  readonly report: (report: SupervisorReport) => void;
}

/**
 * A process, its time limit, its scheduler's lease and its channel.
 *
 * ```mermaid
 * stateDiagram-v2
 *   [*] --> held
 *   held --> held: a grant
 *   held --> ending: a cancel, the time limit, or the end of the last grant: SIGTERM
 *   ending --> killed: the grace is over, or others may have the item soon: SIGKILL
 *   held --> killed: the item is lost before the end of the last grant, so others may have it already
 *   held --> gone: it ends by itself
 *   ending --> gone: it ends in time
 *   killed --> gone
 * ```
 *
 * Guarantees, without any help of its scheduler or of the process:
 * - It is killed `lossGraceMs` after the end of the last grant, whatever it was told before, and whatever its grace is.
 * - `gone` resolves after `ended` was reported, and then nothing of it runs any more.
 * @see TaskProcesses
 */
export class SupervisedTask {
  /** Resolves once no process of it is left. */
  readonly gone: Promise<void>;
  private readonly group: ProcessGroup;
  private readonly processes: TaskProcesses;
  private readonly channel: ChannelWriter;
  private readonly startedAt: number;
  /** Ends of the last grant, of the task's life without another one, and of its time. */
  private lease: Timer | undefined;
  private fence: Timer | undefined;
  private timeLimit: Timer | undefined;
  /** Bytes of its channel that were read after its exit, without waiting for its scheduler; undefined before. */
  private unreadBytes: number | undefined;
  /** End of the last grant, on this process's clock. */
  private heldUntil = 0;
  private ending: { readonly cause: EndCause; readonly detail: string } | undefined;

  constructor(
    private readonly order: StartOrder,
    private readonly supervision: Supervision,
  ) {
    const { clock, deathSignal, outputLimit } = supervision;
    const { command, args, env, workingDirectory, graceMs } = deathSignal.applied(order);
    this.startedAt = clock.monotonicNow();
    this.group = new ProcessGroup(clock, {
      command,
      args,
      env,
      workingDirectory,
      killGraceMs: graceMs,
      outputLimit,
      mergesOutput: true,
      hasChannel: true,
    });
    this.processes = new TaskProcesses({ pid: this.group.pid, envelope: order.env[TASK_VARIABLE] });
    this.channel = new ChannelWriter(this.group.channel);
    this.begin(this.group.channel);
    this.gone = this.follow();
  }

  /** Restarts the lease after news from its scheduler. */
  hold(grant: Grant): void {
    const { clock } = this.supervision;
    const at = hostMonotonicNow();
    const leftMs = leftOfGrant(grant, at);
    // Old news: the scheduler stood still as it sent this.
    if (leftMs === 0) return;
    this.heldUntil = clock.monotonicNow() + leftMs;
    this.fence?.cancel();
    this.fence = clock.setTimer(leftMs + grant.lossGraceMs, () => this.kill('lost', SILENT));
    // It may use its grace while its scheduler has the item.
    if (this.ending !== undefined) return;
    this.lease?.cancel();
    this.lease = clock.setTimer(leftMs, () => this.end('lost', SILENT));
    this.channel.writeNewest(JSON.stringify({ heldForMs: Math.floor(leftMs), at } satisfies ChannelGrant));
  }

  /** Reads more of its channel. */
  resume(): void {
    this.group.channel?.resume();
  }

  /** Forwards a line. */
  forward(line: string): void {
    this.channel.write(line);
  }

  /** Tells its processes to end, once, and kills them after the grace. @param graceMs milliseconds */
  end(cause: EndCause, detail: string, graceMs = this.order.graceMs): void {
    // A session that ends before its lease was ended by others.
    if (cause === 'lost' && this.supervision.clock.monotonicNow() < this.heldUntil) return this.kill(cause, detail);
    if (this.ending !== undefined) return;
    this.ending = { cause, detail };
    this.cancelTimers();
    if (cause === 'lost') this.instruct({ lost: detail });
    // Those whose parents obey cannot be found by them later.
    this.processes.find();
    this.group.terminate(graceMs, () => this.kill(cause, detail));
  }

  /** Kills its processes without grace. */
  kill(cause: EndCause, detail: string, table?: ProcessTable): void {
    if (this.group.pid === undefined) return;
    this.ending ??= { cause, detail };
    this.cancelTimers();
    this.killProcesses(table);
    this.group.kill();
  }

  /** Kills it if it has more resident memory than it may have. */
  checkMemory(table: ProcessTable): void {
    const { memoryMb } = this.order;
    if (this.group.pid === undefined) return;
    const bytes = residentBytesOf(this.processes.find(table));
    if (bytes <= memoryMb * MEBIBYTE) return;
    this.kill('memory', `out of memory: ${Math.ceil(bytes / MEBIBYTE)} MiB of ${memoryMb}`, table);
  }

  /** The end of its output. @param bytes most bytes */
  tail(bytes: number): string {
    return this.group.stdout.last(bytes);
  }

  private begin(channel: Duplex | undefined): void {
    const { clock, report } = this.supervision;
    const { id, timeoutMs } = this.order;
    const { pid } = this.group;
    if (pid === undefined) return;
    report({ kind: 'started', id, pid });
    if (channel !== undefined) this.listen(channel);
    this.hold(this.order);
    // Its start took longer than what was left of the grant.
    if (this.fence === undefined) return this.kill('lost', SILENT);
    if (timeoutMs === undefined) return;
    this.timeLimit = clock.setTimer(timeoutMs, () => this.end('timeout', `it ran for longer than ${timeoutMs} ms`));
  }

  /** Reads its channel no faster than its scheduler does. */
  private listen(channel: Duplex): void {
    const take = (lines: readonly string[]): void => {
      if (this.unreadBytes === undefined) channel.pause();
      else this.unreadBytes += lines.join('').length;
      if ((this.unreadBytes ?? 0) > MOST_LAST_BYTES) channel.destroy();
      else this.supervision.report({ kind: 'said', id: this.order.id, lines });
    };
    readBatches(channel, MOST_CHANNEL_LINE_BYTES, take, () => {
      this.kill('channel', `a line on its channel has more than ${MOST_CHANNEL_LINE_BYTES} bytes`);
    });
  }

  private async follow(): Promise<void> {
    const end = await this.group.exited;
    this.processes.firstExited();
    this.unreadBytes = 0;
    this.resume();
    const ms = this.supervision.clock.monotonicNow() - this.startedAt;
    this.cancelTimers();
    // A task that was told to end has its grace, even if its first process is gone.
    const isEnding = this.ending !== undefined;
    if (!isEnding) await this.sweep();
    await this.group.end();
    if (isEnding) await this.sweep();
    this.fence?.cancel();
    this.supervision.report({ kind: 'ended', id: this.order.id, ending: this.endingOf(end, ms) });
  }

  private endingOf(end: ExecutorEnd, ms: number): TaskEnding {
    const output = this.group.stdout.last(this.supervision.outputLimit);
    const common = { ...this.ending, output, ms };
    if (end.kind === 'process' && 'code' in end) return { ...common, code: end.code, signal: end.signal };
    const error = this.startFaultOf(end);
    return { ...common, code: null, signal: null, error };
  }

  /** Node names the program whatever is missing. */
  private startFaultOf(end: ExecutorEnd): string {
    const { workingDirectory } = this.order;
    if (!isDirectory(workingDirectory)) return `its working directory ${show(workingDirectory)} is not there`;
    return 'error' in end && end.error instanceof Error ? end.error.message : 'it could not be started';
  }

  /** Kills what the group has not taken along. Resolves once it is gone. */
  private async sweep(): Promise<void> {
    if (this.group.pid === undefined) return;
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
      if (this.killProcesses() === 0) return;
      await this.supervision.clock.sleep(pauseMs);
    }
  }

  /** @returns how many there were */
  private killProcesses(table?: ProcessTable): number {
    const found = this.processes.find(table);
    killAll(found.map(({ pid }) => pid));
    return found.length;
  }

  private instruct(instruction: TaskInstruction): void {
    this.forward(JSON.stringify(instruction));
  }

  private cancelTimers(): void {
    this.lease?.cancel();
    this.timeLimit?.cancel();
  }
}
