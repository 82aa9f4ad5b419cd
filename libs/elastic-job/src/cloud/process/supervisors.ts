import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Clock, Deadline } from '../../clock/index.js';
import { isObject } from '../../domain/index.js';
import { inheritedEnvironment, OutputTail } from '../../executor/index.js';
import { BackOff, repeat } from '../../repeat/index.js';
import type { TaskHost } from '../task-backend.js';
import { parseLine, readLines, writeLine } from './lines.js';
import {
  SUPERVISOR_CHANNEL,
  type SupervisorOrder,
  type SupervisorReport,
  type SupervisorSettings,
} from './supervisor/supervisor-messages.js';

/** Pauses between supervisors that die or do not start, in milliseconds. */
const PAUSES = { firstMs: 100, longestMs: 30_000 };

const ORPHANS =
  'Tasks may outlive a supervisor that is killed together with its scheduler, ' +
  'since this host has no setpriv of util-linux that sets a death signal.';

/** Receiver of the starts and deaths of supervisors. */
interface SupervisorListener {
  /** Called when a supervisor takes orders. */
  readonly ready: () => void;
  readonly reported: (report: SupervisorReport) => void;
  /** Called when one has died, to end its tasks. Another one is started once this has resolved. */
  readonly died: (error: Error) => Promise<void>;
}

/** One supervisor after the other: when one dies, the next is started. */
export class Supervisors {
  private current: SupervisorProcess | undefined;
  private takesOrders = false;
  private readonly stopping = new AbortController();
  private isWarned = false;
  private watching: Promise<void> = Promise.resolve();

  constructor(
    private readonly host: TaskHost,
    private readonly entry: URL,
    private readonly settings: SupervisorSettings,
    private readonly listener: SupervisorListener,
  ) {}

  /** True while a supervisor takes orders. */
  get isReady(): boolean {
    return this.takesOrders;
  }

  /** Starts the first one. @throws the reason if it does not start, also if `stop` was called */
  async start(): Promise<void> {
    const first = await this.begin();
    this.watching = this.watch(first);
  }

  /** Sends an order to the present one. Without one no task runs, so there is nothing to send. */
  send(order: SupervisorOrder): void {
    if (this.takesOrders) this.current?.send(order);
  }

  /** Ends it with all of its tasks, also while it starts. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.current?.stop();
    await this.watching;
  }

  private async begin(): Promise<SupervisorProcess> {
    const supervisor = new SupervisorProcess(this.host.clock, this.entry, this.settings, this.listener.reported);
    this.current = supervisor;
    const { endsOrphans } = await supervisor.ready();
    // A stop ends this one, which may have been ready before.
    this.stopping.signal.throwIfAborted();
    this.takesOrders = true;
    this.host.emit({ kind: 'connected' });
    if (!endsOrphans && !this.isWarned) this.host.emit({ kind: 'warning', message: ORPHANS });
    this.isWarned = true;
    this.listener.ready();
    return supervisor;
  }

  private async watch(first: SupervisorProcess): Promise<void> {
    let supervisor: SupervisorProcess | undefined = first;
    while (supervisor !== undefined) {
      const error = await supervisor.ended;
      this.takesOrders = false;
      if (!this.stopping.signal.aborted) this.host.emit({ kind: 'disconnected', error });
      await this.listener.died(error);
      supervisor = await this.next();
    }
  }

  /** Starts the next one. @returns undefined if `stop` was called */
  private async next(): Promise<SupervisorProcess | undefined> {
    const { signal } = this.stopping;
    if (signal.aborted) return undefined;
    const onFailure = (error: unknown) => this.host.emit({ kind: 'disconnected', error });
    const policy = { signal, backOff: new BackOff(this.host.clock, PAUSES), onFailure };
    return repeat(policy, () => this.begin()).catch(() => undefined); // Only a stop ends the repetition.
  }
}

/** Longest time for a supervisor to start, or to kill its tasks and end, in milliseconds. */
const MOST_WAIT_MS = 10_000;
const LAST_WORDS_BYTES = 2_048;
/** Most bytes of orders that wait for it to read. */
const MOST_UNREAD_BYTES = 16_777_216;

/** One supervisor, from its start to its end. */
class SupervisorProcess {
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
  send(order: SupervisorOrder): void {
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
  return isObject(value) && 'kind' in value;
}
