import type { JobEvent, JobEventSink } from '../tracing/index.js';
import { eventLine } from './event-lines.js';
import { type EventLine, LineLog } from './line-log.js';
import { findZooKeeperHint, isProduction } from './environment.js';

/** Nest's levels at which lines are written, and `off`. */
export const LOG_LEVELS = ['debug', 'log', 'warn', 'error', 'off'] as const;

/** Lines about jobs in the application's log. */
export interface LogSinkOptions {
  /** Chooses the application's log. */
  readonly type: 'log';
  /**
   * The lowest level that is written. Triggers, runs, leaders and plans are written at `debug`, which Nest's logger
   * shows unless it is told otherwise.
   * @default 'log'
   */
  readonly level?: 'debug' | 'log' | 'warn' | 'error' | 'off';
}

interface EventLoggerOptions extends Partial<LogSinkOptions> {
  /** True if no other application shares the registry. */
  readonly isEmbedded: boolean;
  /** Servers and namespace in words, if the registry is ZooKeeper. */
  readonly place: string | undefined;
}

export function isLogSinkOptions(sink: object): sink is LogSinkOptions {
  return 'type' in sink && sink.type === 'log';
}

/** Turns events of jobs into log lines. No other place does. */
export class EventLogger implements JobEventSink {
  readonly name = 'log';
  private readonly log = new LineLog();

  constructor(private readonly options: EventLoggerOptions) {}

  hear(event: JobEvent): void {
    const { isEmbedded, place } = this.options;
    const isOwnRegistry = isEmbedded && event.kind === 'session' && event.state === 'CONNECTED';
    this.write(isOwnRegistry ? embeddedLine(event.sessionId) : eventLine(event, place));
  }

  /** Writes a line at its level, unless that is too low. */
  write(line: EventLine): void {
    const { level = 'log' } = this.options;
    if (LOG_LEVELS.indexOf(line.level) >= LOG_LEVELS.indexOf(level)) this.log.write(line);
  }
}

function embeddedLine(sessionId: string | undefined): EventLine {
  const hint = findZooKeeperHint(process.env);
  const level = isProduction() || hint !== undefined ? 'warn' : 'log';
  const although = hint === undefined ? '' : `, although ${hint} is set`;
  const text = `session ${sessionId ?? '(none)'} CONNECTED with the embedded registry, which is for this process only`;
  return { level, text: `${text}: another one runs every item too${although}` };
}
