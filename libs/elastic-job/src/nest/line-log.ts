import { Logger } from '@nestjs/common';
import { cutText } from './cut-text.js';
import type { EventLine } from './line-text.js';
import { visibleStacks, visibleText } from './visible-text.js';

/** The package's part of the application's log, under the context `ElasticJob`. No other place writes to it. */
export class LineLog {
  private readonly logger = new Logger('ElasticJob');

  /**
   * Writes a line at its level, cut at 4 KB, as is the stack of each error in it. Hidden characters become visible: a
   * line has names of jobs and instances, and errors, that others have written.
   */
  write({ level, text, error }: EventLine): void {
    const message = cutText(visibleText(text));
    const stacks = visibleStacks(error);
    if (stacks === undefined) return this.logger[level](message);
    this.logger.error(message, stacks);
  }
}
