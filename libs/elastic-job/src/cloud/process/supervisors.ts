import { BackOff } from '../../clock/index.js';
import type { TaskHost } from '../task-backend.js';
import { SupervisorProcess } from './supervisor-process.js';
import type { SupervisorOrder, SupervisorReport, SupervisorSettings } from './supervisor/supervisor-messages.js';

/** Pauses between supervisors that die or do not start, in milliseconds. */
const PAUSES = { firstMs: 100, longestMs: 30_000 };

/** Listens to the lives of supervisors. */
export interface SupervisorListener {
  /** It can be told to start tasks. */
  readonly ready: () => void;
  readonly reported: (report: SupervisorReport) => void;
  /** It has died, and its tasks are to be ended. Another one is started once this has resolved. */
  readonly died: (error: Error) => Promise<void>;
}

/** One supervisor after the other: when one dies the next is started. */
export class Supervisors {
  private current: SupervisorProcess | undefined;
  private readonly stopping = new AbortController();
  private readonly backOff: BackOff;
  private watching: Promise<void> = Promise.resolve();

  constructor(
    private readonly host: TaskHost,
    private readonly entry: URL,
    private readonly settings: SupervisorSettings,
    private readonly listener: SupervisorListener,
  ) {
    this.backOff = new BackOff(host.clock, PAUSES);
  }

  /** True while one is there that can be told something. */
  get isReady(): boolean {
    return this.current !== undefined;
  }

  /** Starts the first one. @throws what has kept it from starting */
  async start(): Promise<void> {
    const first = await this.begin();
    this.watching = this.watch(first);
  }

  /** Tells the one that is there; without one nothing is to be told, since no task is. */
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
    await supervisor.ready();
    this.current = supervisor;
    this.host.emit({ kind: 'connected' });
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
        // It was told to stop while this one started.
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
