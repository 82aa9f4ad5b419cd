import type { LoggerService } from '@nestjs/common';

/** Log lines as `level: text`; the context must be ours. */
export class LogLines implements LoggerService {
  readonly lines: string[] = [];

  log = this.keep('log');
  warn = this.keep('warn');
  error = this.keep('error');
  debug = this.keep('debug');

  /** Lines of one level, without it. */
  at(level: 'log' | 'warn' | 'error' | 'debug'): readonly string[] {
    const start = `${level}: `;
    return this.lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
  }

  private keep(level: string) {
    return (message: unknown, ...rest: unknown[]): void => {
      if (rest.at(-1) === 'ElasticJob') this.lines.push(`${level}: ${String(message)}`);
    };
  }
}
