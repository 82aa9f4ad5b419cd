import type { JobEvent, JobEventListener } from './job-event.js';

/** Passes events on to whoever listens. A listener that throws is dropped from that event alone and hurts nobody. */
export class JobEvents {
  private readonly listeners = new Set<JobEventListener>();

  /** @returns a function that removes the listener. */
  on(listener: JobEventListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** From now on nobody hears anything. */
  silence(): void {
    this.listeners.clear();
  }

  emit(event: JobEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch {
        // Tracing answers nobody: a broken sink must not change what a job does.
      }
    }
  }
}
