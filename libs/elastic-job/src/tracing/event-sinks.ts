import type { Clock } from '../clock/index.js';
import type { JobEventSink, SinkHost } from './event-sink.js';
import type { JobEvents } from './job-events.js';

/** Longest wait for what the sinks have heard to be kept, in milliseconds. */
const STOP_TIMEOUT_MS = 5_000;

/** The sinks of one process, from the first event to the last. */
export class EventSinks {
  private readonly started: JobEventSink[] = [];
  private readonly listening: (() => void)[] = [];
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly sinks: readonly JobEventSink[],
    private readonly events: JobEvents,
    private readonly clock: Clock,
  ) {}

  /** @throws what a sink throws that cannot work at all; those before it have started and want to be stopped */
  start(): void {
    const host: SinkHost = { clock: this.clock, emit: (event) => this.events.emit(event) };
    for (const sink of this.sinks) {
      sink.start?.(host);
      this.started.push(sink);
      this.listening.push(this.events.on((event) => sink.hear(event), `the sink "${sink.name}"`));
    }
  }

  /** Resolves when every sink has kept what it heard, after a few seconds at the latest. Idempotent; never rejects. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    const ending = new AbortController();
    const timeout = new Error(`The sinks have not stopped within ${STOP_TIMEOUT_MS} ms.`);
    const deadline = this.clock.setTimer(STOP_TIMEOUT_MS, () => ending.abort(timeout));
    const stopping = this.started.map((sink) => this.stopOne(sink, ending.signal));
    await Promise.race([Promise.all(stopping), aborted(ending.signal)]);
    deadline.cancel();
    // Not before: a sink that could not keep everything tells the others.
    await this.clock.nextTurn();
    for (const stopListening of this.listening) stopListening();
  }

  private async stopOne(sink: JobEventSink, signal: AbortSignal): Promise<void> {
    try {
      await sink.stop?.(signal);
    } catch (error) {
      const message = `stopping the sink "${sink.name}" failed`;
      this.events.emit({ kind: 'error', jobName: undefined, message, error });
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
