/** Events that end a process. */
export interface ProcessNews {
  /** SIGTERM. */
  onTerminate(): void;
  /** An error was not caught, or a rejection not handled. */
  onCrash(error: unknown): void;
  /**
   * Called when the process exits, with this exit code; only synchronous work is possible. @returns the final exit code
   */
  onExit(exitCode: number): number;
}

/** Listens for everything that could end the process besides its run, until its very end. */
export function guardProcess(news: ProcessNews): void {
  process.on('SIGTERM', () => news.onTerminate());
  process.on('uncaughtException', (error: unknown) => news.onCrash(error));
  process.on('unhandledRejection', (reason: unknown) => news.onCrash(reason));
  process.on('exit', (exitCode) => {
    process.exitCode = news.onExit(exitCode);
  });
}

/** Ends the process with the exit code: it may end by itself, and is forced to after the delay. */
export function endProcess(exitCode: number, after: (exit: () => void) => void): void {
  process.exitCode = exitCode;
  after(() => process.exit(exitCode));
}

/** Ends the process at once. */
export function exitNow(exitCode: number): never {
  process.exit(exitCode);
}
