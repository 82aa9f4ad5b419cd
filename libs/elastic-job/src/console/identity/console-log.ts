import type { Clock } from '../../clock/index.js';

/** The log of the application, as the console needs it. It shows hidden characters, and cuts what is long. */
export interface ConsoleLog {
  info(line: string): void;
  warn(line: string, error?: unknown): void;
}

const PAUSE_MS = 60_000;

/** Writes each warning at most once a minute, or anybody who asks could fill the log. */
export class RareLog implements ConsoleLog {
  private readonly writtenAt = new Map<string, number>();

  constructor(
    private readonly log: ConsoleLog,
    private readonly clock: Pick<Clock, 'monotonicNow'>,
  ) {}

  info(line: string): void {
    this.log.info(line);
  }

  /** @param line one of few, since each is kept */
  warn(line: string, error?: unknown): void {
    const now = this.clock.monotonicNow();
    if (now - (this.writtenAt.get(line) ?? -Infinity) < PAUSE_MS) return;
    this.writtenAt.set(line, now);
    this.log.warn(line, error);
  }
}
