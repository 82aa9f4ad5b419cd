import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Clock, Deadline } from '../../clock/index.js';
import { inheritedEnvironment, OutputTail } from '../../executor/index.js';
import { parseLine, readLines, writeLine } from './lines.js';
import {
  SUPERVISOR_CHANNEL,
  type SupervisorOrder,
  type SupervisorReport,
  type SupervisorSettings,
} from './supervisor/supervisor-messages.js';

/** Longest time for a supervisor to start, or to kill its tasks and end, in milliseconds. */
const MOST_WAIT_MS = 10_000;
const LAST_WORDS_BYTES = 2_048;
/** Most bytes of orders that wait for it to read. */
const MOST_UNREAD_BYTES = 16_777_216;

/** One supervisor, from its start to its end. */
export class SupervisorProcess {
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<Error>;
  private readonly child: ChildProcess;
  private readonly channel: Duplex;
  private readonly isReady: Promise<SupervisorReport & { kind: 'ready' }>;
  /** Reason of its end, as far as it is known here. */
  private fault = '';

  /** @param take called with its reports, in order, except `ready` */
  constructor(
    private readonly clock: Clock,
    entry: URL,
    settings: SupervisorSettings,
    take: (report: SupervisorReport) => void,
  ) {
    // In a session of its own, so that signals of a terminal to its scheduler do not reach it. In a directory that
    // stays: Node starts nowhere else, and that of its scheduler may have been deleted.
    this.child = spawn(process.execPath, [fileURLToPath(entry), JSON.stringify(settings)], {
      detached: true,
      cwd: '/',
      env: inheritedEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const words = new OutputTail(LAST_WORDS_BYTES).follow(this.child.stderr);
    this.ended = new Promise((resolve) => {
      this.child.once('error', resolve);
      this.child.once('close', (code, signal) =>
        resolve(
          new Error(
            `The supervisor of tasks has ended with ${signal ?? `exit code ${code}`}.${this.fault} ${words.text}`,
          ),
        ),
      );
    });
    const channel = this.child.stdio?.[SUPERVISOR_CHANNEL];
    this.channel = channel instanceof Duplex ? channel : new Duplex().destroy();
    this.channel.on('error', () => {}); // Its end says so.
    this.isReady = this.listen(take);
  }

  /**
   * Resolves once it takes orders, with what it can do. @throws the reason of its end, or an error if it takes too long
   */
  ready(): Promise<SupervisorReport & { kind: 'ready' }> {
    const end = this.ended.then((error) => {
      throw error;
    });
    return Deadline.after(this.clock, MOST_WAIT_MS).bounds(Promise.race([this.isReady, end]), async () => {
      await this.stop();
      throw new Error(`The supervisor of tasks did not start in ${MOST_WAIT_MS} ms.`);
    });
  }

  /** Sends an order. A supervisor that reads none is killed before its orders fill memory. */
  tell(order: SupervisorOrder): void {
    if (this.channel.writableLength <= MOST_UNREAD_BYTES) return writeLine(this.channel, order);
    this.fault = ` It has read none of its orders, and ${this.channel.writableLength} bytes of them wait.`;
    this.child.kill('SIGKILL');
  }

  /** Ends it, after all of its tasks. */
  async stop(): Promise<void> {
    this.channel.destroy();
    if (await Deadline.after(this.clock, MOST_WAIT_MS).holdsFor(this.ended)) return;
    this.child.kill('SIGKILL');
    await this.ended;
  }

  private listen(take: (report: SupervisorReport) => void): Promise<SupervisorReport & { kind: 'ready' }> {
    return new Promise((resolve) => {
      readLines(this.channel, Infinity, (line) => {
        const report: unknown = parseLine(line);
        if (!isReport(report)) return;
        if (report.kind === 'ready') resolve(report);
        else take(report);
      });
    });
  }
}

/** Only the supervisor writes to the channel. */
function isReport(value: unknown): value is SupervisorReport {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
