import { inOwnContext, publicCalls } from '../async-context/index.js';
import { sharedClass } from '../copies/index.js';
import { hearRejection, readable } from '../domain/index.js';
import { freezeTold } from './freeze-told.js';
import type { JobEvent, JobEventListener } from './job-event.js';

interface Heard {
  readonly listener: JobEventListener;
  readonly name: string;
}

/**
 * Passes events to listeners. An error or rejection of a listener affects neither the job nor the other listeners: it
 * is reported as an `error` event.
 */
@sharedClass('JobEvents')
@publicCalls()
export class JobEvents {
  private readonly listeners = new Map<object, Heard>();

  /**
   * @param name of the listener, for the message if it fails
   * @returns a function that removes the listener
   */
  on(listener: JobEventListener, name = 'a listener'): () => void {
    const key = {};
    this.listeners.set(key, { listener, name });
    return () => void this.listeners.delete(key);
  }

  /** Delivers no more events from now on. */
  silence(): void {
    this.listeners.clear();
  }

  /** Freezes the event, with its lists and records: no listener can change what a run goes on with. */
  emit(emitted: JobEvent): void {
    const event = freezeTold('error' in emitted ? { ...emitted, error: readable(emitted.error) } : emitted);
    for (const heard of this.listeners.values()) tell(heard, event, (error) => this.report(heard, event, error));
  }

  // A listener that fails at an `error` event is not told of that itself, and failures at these reports are not
  // reported, or failing listeners would report each other for ever.
  private report(failed: Heard, { kind }: JobEvent, error: unknown): void {
    const message = `${failed.name} failed at a "${kind}" event`;
    const event: JobEvent = freezeTold({ kind: 'error', jobName: undefined, message, error: readable(error) });
    for (const heard of this.listeners.values()) if (kind !== 'error' || heard !== failed) tell(heard, event, () => {});
  }
}

/** Calls a listener. Its failure, also by a promise, is given to `onError`. */
function tell({ listener }: Heard, event: JobEvent, onError: (error: unknown) => void): void {
  try {
    hearRejection(
      inOwnContext(() => listener(event)),
      onError,
    );
  } catch (error) {
    onError(error);
  }
}
