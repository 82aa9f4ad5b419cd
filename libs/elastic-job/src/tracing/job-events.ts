import { sharedClass } from '../copies/index.js';
import type { JobEvent, JobEventListener } from './job-event.js';

/**
 * Passes events to listeners. An error or rejection of a listener affects neither the job nor the other listeners: it
 * is reported as an `error` event.
 */
@sharedClass('JobEvents')
export class JobEvents {
  private readonly listeners = new Map<object, { readonly listener: JobEventListener; readonly name: string }>();

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

  emit(event: JobEvent): void {
    for (const { listener, name } of this.listeners.values()) {
      try {
        const answer: unknown = listener(event);
        if (answer instanceof Promise) answer.catch((error: unknown) => this.report(name, event, error));
      } catch (error) {
        this.report(name, event, error);
      }
    }
  }

  // Failures at `error` events are not reported: a listener that fails there would get its own failures for ever.
  private report(name: string, { kind }: JobEvent, error: unknown): void {
    if (kind === 'error') return;
    this.emit({ kind: 'error', jobName: undefined, message: `${name} failed at a "${kind}" event`, error });
  }
}
