import { Logger } from '@nestjs/common';
import type { JobEvent, JobEventSink } from '../tracing/index.js';
import { type EventLine, eventLine } from './event-lines.js';
import { isProduction } from './is-production.js';
import { visibleStacks, visibleText } from './visible-text.js';

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
}

export function isLogSinkOptions(sink: object): sink is LogSinkOptions {
  return 'type' in sink && sink.type === 'log';
}

/** Turns events of jobs into log lines, under the context `ElasticJob`. No other place does. */
export class EventLogger implements JobEventSink {
  readonly name = 'log';
  private readonly logger = new Logger('ElasticJob');
  private readonly lowest: number;
  private readonly isEmbedded: boolean;

  constructor({ level = 'log', isEmbedded }: EventLoggerOptions) {
    this.lowest = LOG_LEVELS.indexOf(level);
    this.isEmbedded = isEmbedded;
  }

  hear(event: JobEvent): void {
    const isOwnRegistry = this.isEmbedded && event.kind === 'session' && event.state === 'CONNECTED';
    this.write(isOwnRegistry ? embeddedLine(event.sessionId) : eventLine(event));
  }

  /**
   * Writes a line at its level. Hidden characters become visible: a line has names of jobs and instances, and errors,
   * that others have written.
   */
  write({ level, text, error }: EventLine): void {
    if (LOG_LEVELS.indexOf(level) < this.lowest) return;
    const stacks = visibleStacks(error);
    if (stacks === undefined) return this.logger[level](visibleText(text));
    this.logger.error(visibleText(text), stacks);
  }
}

function embeddedLine(sessionId: string | undefined): EventLine {
  const level = isProduction() ? 'warn' : 'log';
  const text = `session ${sessionId ?? '(none)'} CONNECTED with the embedded registry, which is for this process only`;
  return { level, text: `${text}: another one runs every item too` };
}
