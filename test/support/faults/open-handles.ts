/** Anything that a test starts and has to stop. */
export interface Stoppable {
  stop(): Promise<void>;
  /** What it said last, for whoever looks into a failure. */
  lastWords?(): string;
}

/**
 * What a suite has started, to be stopped together:
 * `const handles = new OpenHandles(); afterAll(() => handles.stopAll());`
 */
export class OpenHandles {
  readonly #open: Stoppable[] = [];

  /** Takes note of something, and gives it back: `const proxy = await handles.add(startFaultProxy(port))`. */
  async add<T extends Stoppable>(started: T | Promise<T>): Promise<T> {
    const handle = await started;
    this.#open.push(handle);
    return handle;
  }

  /** What each of those that tell said last. */
  lastWords(): readonly string[] {
    return this.#open.flatMap((handle) => handle.lastWords?.() ?? []);
  }

  /** Stops all, the last started first. @throws what went wrong, after all have been tried */
  async stopAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const handle of this.#open.splice(0).toReversed()) {
      await handle.stop().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of the started could not be stopped.`);
  }
}
