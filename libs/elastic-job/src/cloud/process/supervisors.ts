import type { TaskHost } from '../task-backend.js';
import { BackOff, repeat } from '../../repeat/index.js';
import { SupervisorProcess } from './supervisor-process.js';
import type { SupervisorOrder, SupervisorReport, SupervisorSettings } from './supervisor/supervisor-messages.js';

/** Pauses between supervisors that die or do not start, in milliseconds. */
const PAUSES = { firstMs: 100, longestMs: 30_000 };

const ORPHANS =
  'Tasks may outlive a supervisor that is killed together with its scheduler, ' +
  'since this host has no setpriv of util-linux that sets a death signal.';

/** Hears of the starts and deaths of supervisors. */
export interface SupervisorListener {
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
  tell(order: SupervisorOrder): void {
    if (this.takesOrders) this.current?.tell(order);
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
