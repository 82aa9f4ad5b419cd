import type { Clock } from '../clock/index.js';
import type { JobEvent } from './job-event.js';

/** What a sink may use of the process. */
export interface SinkHost {
  readonly clock: Clock;
  /** Tells the other sinks, and whoever else listens, what became of this one. */
  readonly emit: (event: JobEvent) => void;
}

/**
 * Hears everything that happens to jobs in this process, and answers nobody: a log, a history, metrics. Whatever a sink
 * does, no job waits for it or fails by it; what it throws is told as an `error` event.
 */
export interface JobEventSink {
  /** Unique in the module: names the sink where something is told of it. */
  readonly name: string;
  /**
   * Called once, before the first event. What takes long goes on by itself: nobody waits.
   * @throws {ConfigurationError} if it can never work: the application does not start
   */
  start?(host: SinkHost): void;
  /** Called in the turn in which it happens. Returns soon, and puts off what takes long. */
  hear(event: JobEvent): void;
  /**
   * Called once, after the last event. Resolves when what was heard is kept.
   * @param signal aborts when nobody waits any longer
   */
  stop?(signal: AbortSignal): Promise<void>;
}
