/** Events that end a process. */
export interface ProcessNews {
  /** SIGTERM. */
  onTerminate(): void;
  /** An error was not caught, or a rejection not handled. */
  onCrash(error: unknown): void;
  /**
   * It ends now, with this exit code. Only synchronous work is done any more. @returns the exit code that it ends with
   */
  onExit(exitCode: number): number;
}

/**
 * Hears of everything by which the process could end beside its run. It hears until the end: a later signal is late.
 */
export function guardProcess(news: ProcessNews): void {
  process.on('SIGTERM', () => news.onTerminate());
  process.on('uncaughtException', (error: unknown) => news.onCrash(error));
  process.on('unhandledRejection', (reason: unknown) => news.onCrash(reason));
  process.on('exit', (exitCode) => {
    process.exitCode = news.onExit(exitCode);
  });
}

/** Ends the process with the exit code: by itself if it can, and after so many milliseconds in any case. */
export function endProcess(exitCode: number, after: (exit: () => void) => void): void {
  process.exitCode = exitCode;
  after(() => process.exit(exitCode));
}

/** At once. */
export function exitNow(exitCode: number): never {
  process.exit(exitCode);
}
