import { BackOff } from '../../clock/index.js';
import type { TaskHost } from '../task-backend.js';
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
  private readonly stopping = new AbortController();
  private readonly backOff: BackOff;
  private isWarned = false;
  private watching: Promise<void> = Promise.resolve();

  constructor(
    private readonly host: TaskHost,
    private readonly entry: URL,
    private readonly settings: SupervisorSettings,
    private readonly listener: SupervisorListener,
  ) {
    this.backOff = new BackOff(host.clock, PAUSES);
  }

  /** True while a supervisor takes orders. */
  get isReady(): boolean {
    return this.current !== undefined;
  }

  /** Starts the first one. @throws the reason if it does not start */
  async start(): Promise<void> {
    const first = await this.begin();
    this.watching = this.watch(first);
  }

  /** Sends an order to the present one. Without one no task runs, so there is nothing to send. */
  tell(order: SupervisorOrder): void {
    this.current?.tell(order);
  }

  /** Ends it with all of its tasks. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.current?.stop();
    await this.watching;
  }

  private async begin(): Promise<SupervisorProcess> {
    const supervisor = new SupervisorProcess(this.host.clock, this.entry, this.settings, this.listener.reported);
    const { endsOrphans } = await supervisor.ready();
    this.current = supervisor;
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
      this.current = undefined;
      if (!this.stopping.signal.aborted) this.host.emit({ kind: 'disconnected', error });
      await this.listener.died(error);
      supervisor = await this.next();
    }
  }

  private async next(): Promise<SupervisorProcess | undefined> {
    while (!this.stopping.signal.aborted) {
      try {
        const supervisor = await this.begin();
        this.backOff.succeeded();
        // `stop` was called while this one started.
        if (this.stopping.signal.aborted) await supervisor.stop();
        return supervisor;
      } catch (error) {
        this.backOff.failed();
        this.host.emit({ kind: 'disconnected', error });
        await this.backOff.pause(this.stopping.signal);
      }
    }
    return undefined;
  }
}
