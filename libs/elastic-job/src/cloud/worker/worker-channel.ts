import { readSync, writeFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { hostMonotonicNow } from '../../clock/index.js';
import { isObject, LeaseLostError } from '../../domain/index.js';
import { type ChannelGrant, MOST_CHANNEL_LINE_BYTES, type TaskStatement } from '../task-channel.js';
import type { TaskEnvelope } from '../task-envelope.js';
import type { TaskAnswers } from '../task-order.js';
import { formatTaskReport, type TaskReport } from '../task-report.js';
import { CheckpointRefusedError } from './worker.errors.js';

/** Reports a worker's end, once: over its channel, or else into its file. */
export class TaskReporter {
  /** Undefined if there is none. */
  readonly channel: WorkerChannel | undefined;
  /** Why the channel in the envelope cannot be used. */
  readonly channelFault: unknown;
  private isReported = false;

  constructor(
    private readonly answers: TaskAnswers,
    listener: ChannelListener,
  ) {
    try {
      this.channel = answers.channel === undefined ? undefined : new WorkerChannel(answers.channel, listener);
    } catch (error) {
      this.channelFault = error;
    }
  }

  get hasReported(): boolean {
    return this.isReported;
  }

  /** @throws if the report cannot be sent; the exit code still has the most important part */
  async report(report: TaskReport): Promise<void> {
    this.isReported = true;
    const text = formatTaskReport(report);
    if (this.channel === undefined) this.writeFile(text);
    else await this.channel.say(text);
  }

  /** As `report`, just before the process ends. */
  reportNow(report: TaskReport): void {
    if (this.isReported) return;
    this.isReported = true;
    const text = formatTaskReport(report);
    if (this.channel === undefined) this.writeFile(text);
    else this.channel.sayNow(text);
  }

  private writeFile(text: string): void {
    if (this.answers.report !== undefined) writeFileSync(this.answers.report, text);
  }
}

/** Receiver of the scheduler's messages. */
interface ChannelListener {
  /** How long the worker may act for the item without further news. */
  onHeld(grant: ChannelGrant): void;
  /** The worker may no longer act for the item; also called when the channel closes. */
  onLost(reason: string): void;
}

interface Pending {
  resolve(): void;
  reject(error: unknown): void;
}

const CLOSED = 'the channel to the scheduler has closed';
const CHUNK_BYTES = 65_536;
/** Longest wait for the newest line after old ones, which had filled the channel, in milliseconds. */
const MOST_CATCH_UP_MS = 1_500;
/** Pause between looks, in milliseconds. */
const LOOK_MS = 10;

/** The worker's end of the line to its scheduler. @see TASK_CHANNEL */
class WorkerChannel {
  private readonly socket: Socket;
  private readonly saves = new Map<number, Pending>();
  private readonly decoder = new StringDecoder('utf8');
  private lastId = 0;
  private unread = '';
  private isClosed = false;

  /** @throws if the descriptor carries no stream */
  constructor(
    private readonly descriptor: number,
    private readonly listener: ChannelListener,
  ) {
    this.socket = new Socket({ fd: descriptor, readable: true, writable: true });
    this.socket.on('data', (bytes: Buffer) => this.read(bytes));
    this.socket.on('error', () => {}); // The close follows.
    this.socket.on('end', () => this.lose(CLOSED));
    this.socket.on('close', () => this.lose(CLOSED));
    // The channel alone must not keep the process alive.
    this.socket.unref();
  }

  /** @throws {CheckpointRefusedError} @throws {LeaseLostError} if the channel closes before the answer */
  async save({ jobName, shardingItem }: TaskEnvelope, checkpoint: unknown): Promise<void> {
    if (this.isClosed) throw new LeaseLostError(jobName, shardingItem);
    const id = (this.lastId += 1);
    this.socket.ref();
    try {
      await new Promise<void>((resolve, reject) => {
        const refuse = (reason: unknown) =>
          reject(
            typeof reason === 'string'
              ? new CheckpointRefusedError(jobName, shardingItem, reason)
              : new LeaseLostError(jobName, shardingItem),
          );
        this.saves.set(id, { resolve, reject: refuse });
        this.write({ checkpoint, id });
      });
    } finally {
      this.saves.delete(id);
      if (this.saves.size === 0) this.socket.unref();
    }
  }

  /** Resolves once the report is written. @throws if it cannot be */
  say(report: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.ref();
      this.socket.write(`{"report":${report}}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Writes synchronously, just before the process ends. @throws if it cannot be written */
  sayNow(report: string): void {
    writeSync(this.descriptor, `{"report":${report}}\n`);
  }

  /**
   * Reads what waits in the channel, synchronously, so that a process which stood still knows its present. If old lines
   * had filled the channel, its writer could not add the newest one, and does so now: it is waited for, but not for
   * long.
   */
  catchUp(isEnough: () => boolean): void {
    if (!this.readNow()) return;
    const since = hostMonotonicNow();
    const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    while (!this.isClosed && !isEnough() && hostMonotonicNow() - since < MOST_CATCH_UP_MS) {
      Atomics.wait(pause, 0, 0, LOOK_MS);
      this.readNow();
    }
  }

  /** Stops listening. */
  close(): void {
    this.isClosed = true;
    this.socket.destroy();
  }

  private write(statement: TaskStatement): void {
    this.socket.write(`${JSON.stringify(statement)}\n`);
  }

  /** @returns false if nothing waited */
  private readNow(): boolean {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let hasRead = false;
    while (!this.isClosed) {
      const some = readSome(this.descriptor, chunk);
      if (some === 'nothing') break;
      hasRead = true;
      if (some === 0) {
        this.lose(CLOSED);
        break;
      }
      this.read(chunk.subarray(0, some));
    }
    return hasRead;
  }

  private read(bytes: Buffer): void {
    const lines = (this.unread + this.decoder.write(bytes)).split('\n');
    this.unread = lines.pop() ?? '';
    for (const line of lines) this.receive(line);
    if (this.unread.length > MOST_CHANNEL_LINE_BYTES) this.lose('the scheduler has sent a line that is too long');
  }

  private receive(line: string): void {
    const said = parse(line);
    if (said === undefined) return this.lose('the scheduler has sent a line that is no JSON object');
    const { at, heldForMs, saved, refused, message, lost } = said;
    if (typeof heldForMs === 'number' && typeof at === 'number') this.listener.onHeld({ at, heldForMs });
    if (typeof saved === 'number') this.saves.get(saved)?.resolve();
    if (typeof refused === 'number') this.saves.get(refused)?.reject(String(message));
    if (typeof lost === 'string') this.lose(lost);
  }

  private lose(reason: string): void {
    if (this.isClosed) return;
    this.listener.onLost(reason);
    for (const save of this.saves.values()) save.reject(undefined);
  }
}

/** @returns how many bytes were read; 0 at the end of the channel */
function readSome(descriptor: number, chunk: Buffer): number | 'nothing' {
  try {
    return readSync(descriptor, chunk);
  } catch {
    return 'nothing'; // EAGAIN: the descriptor does not block.
  }
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
