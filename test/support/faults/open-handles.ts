/** A part that a test starts and has to stop. */
export interface Stoppable {
  stop(): Promise<void>;
  /** Its last output, to explain a failure. */
  lastWords?(): string;
}

/**
 * All parts that a suite has started, to be stopped together:
 * `const handles = new OpenHandles(); afterAll(() => handles.stopAll());`
 */
export class OpenHandles {
  readonly #open: Stoppable[] = [];

  /** Adds a part and returns it: `const proxy = await handles.add(startFaultProxy(port))`. */
  async add<T extends Stoppable>(started: T | Promise<T>): Promise<T> {
    const handle = await started;
    this.#open.push(handle);
    return handle;
  }

  /** Last output of each part that has any. */
  lastWords(): readonly string[] {
    return this.#open.flatMap((handle) => handle.lastWords?.() ?? []);
  }

  /** Stops all, the last started first. @throws the failures, after all have been tried */
  async stopAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const handle of this.#open.splice(0).toReversed()) {
      await handle.stop().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of the started could not be stopped.`);
  }
}
