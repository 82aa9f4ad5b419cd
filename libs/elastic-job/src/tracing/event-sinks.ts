import { inOwnContext, publicCalls } from '../async-context/index.js';
import { type Clock, Deadline } from '../clock/index.js';
import { sharedClass } from '../copies/index.js';
import { handleRejection, type Redact } from '../domain/index.js';
import type { JobEvent } from './job-event.js';
import type { JobEvents } from './job-events.js';
import { eventRedaction } from './redacted-event.js';

/** Parts of the process that a sink may use. */
export interface SinkHost {
  readonly clock: Clock;
  /** Release of the application; undefined if nobody has told it. */
  readonly version?: string | undefined;
  /** The module's `tokenEpoch`. */
  readonly tokenEpoch?: number | undefined;
  /**
   * Reports an event about this sink to all sinks and listeners, this one included. While the sink hears an event,
   * before its first `await`, it is told after that. Answers of answers to an event are told, and further ones are
   * dropped, with one warning. After its first `await` no answer is dropped: a sink that always answers then never
   * ends.
   */
  readonly emit: (event: JobEvent) => void;
}

/**
 * Receives all events of jobs in this process: a log, a history, metrics. It cannot affect jobs: no job waits for it or
 * fails by it, and its errors are reported as `error` events.
 */
export interface JobEventSink {
  /** Unique in the module: names the sink in messages. */
  readonly name: string;
  /**
   * Called once, before the first event. Nothing waits for work that it starts.
   * @throws {ConfigurationError} if the sink can never work: the application does not start
   */
  start?(host: SinkHost): void;
  /** Called in the turn in which the event happens. It must return soon, and defer work that takes long. */
  hear(event: JobEvent): void;
  /**
   * Called once, after the last event. Resolves when all received events are stored.
   * @param signal aborts when the wait is over
   */
  stop?(signal: AbortSignal): Promise<void>;
}

/** Longest wait until the sinks have stored their events, in milliseconds. */
const LONGEST_STOP_MS = 5_000;

/** The sinks of one process, from the first event to the last. */
@sharedClass('EventSinks')
@publicCalls()
export class EventSinks {
  private readonly started: JobEventSink[] = [];
  private readonly listening: (() => void)[] = [];
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly sinks: readonly JobEventSink[],
    private readonly events: JobEvents,
    private readonly clock: Clock,
    private readonly redact?: Redact,
    private readonly facts: Pick<SinkHost, 'version' | 'tokenEpoch'> = {},
  ) {}

  /** @throws the error of a sink that can never work; the sinks before it have started and must be stopped */
  start(): void {
    const emit = (event: JobEvent) => this.events.emit({ ...event });
    const host: SinkHost = Object.freeze({ ...this.facts, clock: this.clock, emit });
    const shown = this.redact ? eventRedaction(this.redact) : (event: JobEvent) => event;
    for (const sink of this.sinks) {
      const answer: unknown = inOwnContext(() => sink.start?.(host));
      handleRejection(answer, (error) => this.report(`starting the sink "${sink.name}" failed`, error));
      this.started.push(sink);
      const hear = (event: JobEvent) => sink.hear(shown(event));
      this.listening.push(this.events.on(hear, `the sink "${sink.name}"`));
    }
  }

  /**
   * Resolves when every sink has stored its events, at the latest at the deadline or after 5 s. Idempotent, and the
   * first deadline holds; never rejects.
   */
  stop(deadline = Deadline.after(this.clock, LONGEST_STOP_MS)): Promise<void> {
    return (this.stopping ??= this.stopAll(deadline.within(LONGEST_STOP_MS)));
  }

  private async stopAll(deadline: Deadline): Promise<void> {
    const timeoutMs = Math.round(deadline.leftMs);
    const ending = new AbortController();
    const stopping = this.started.map((sink) => this.stopOne(sink, ending.signal));
    const isInTime = await deadline.holdsFor(Promise.all(stopping));
    if (!isInTime) ending.abort(new Error(`The sinks have not stopped within ${timeoutMs} ms.`));
    // Only now, because a sink that could not store everything reports that to the others.
    await this.clock.nextTurn();
    for (const stopListening of this.listening) stopListening();
  }

  private async stopOne(sink: JobEventSink, signal: AbortSignal): Promise<void> {
    try {
      await inOwnContext(() => sink.stop?.(signal));
    } catch (error) {
      this.report(`stopping the sink "${sink.name}" failed`, error);
    }
  }

  private report(message: string, error: unknown): void {
    this.events.emit({ kind: 'error', jobName: undefined, message, error });
  }
}

/** State of a sink's store. */
export interface TracingStoreStatus {
  /** Rows that wait in memory, or are being written. */
  readonly queuedRows: number;
  /** Rows that were dropped since the start. */
  readonly droppedRows: number;
  /** Since when the store has accepted nothing, in milliseconds since the epoch; undefined if it accepts rows. */
  readonly failingSince: number | undefined;
}

/** A sink with a store of its own, as far as its health is concerned. */
export interface TracingStore {
  readonly name: string;
  readonly status: TracingStoreStatus;
}

/** The sinks that write to a store. */
export function tracingStoresOf(sinks: readonly JobEventSink[]): readonly TracingStore[] {
  return sinks.filter((sink): sink is JobEventSink & TracingStore => 'status' in sink && isStatus(sink.status));
}

function isStatus(status: unknown): status is TracingStoreStatus {
  const { queuedRows, droppedRows } = Object(status);
  return typeof queuedRows === 'number' && typeof droppedRows === 'number';
}
