import type { Clock } from '../clock/index.js';
import type { JobEvent } from './job-event.js';

/** Parts of the process that a sink may use. */
export interface SinkHost {
  readonly clock: Clock;
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
