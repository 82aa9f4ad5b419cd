import { writeFileSync } from 'node:fs';
import { formatTaskReport } from '../task-report-text.js';
import type { TaskAnswers } from '../task-order.js';
import type { TaskReport } from '../task-report.js';
import { type ChannelListener, WorkerChannel } from './worker-channel.js';

/** Reports a worker's end, once: over its channel, or else into its file. */
export class TaskReporter {
  /** Undefined if there is none. */
  readonly channel: WorkerChannel | undefined;
  /** Why the channel in the envelope cannot be used. */
  readonly channelFault: unknown;
  private isTold = false;

  constructor(
    private readonly answers: TaskAnswers,
    listener: ChannelListener,
  ) {
    try {
      this.channel = answers.channel === undefined ? undefined : new WorkerChannel(answers.channel, listener);
    } catch (error) {
      this.channelFault = error;
    }
  }

  get hasTold(): boolean {
    return this.isTold;
  }

  /** @throws if the report cannot be sent; the exit code still has the most important part */
  async tell(report: TaskReport): Promise<void> {
    this.isTold = true;
    const text = formatTaskReport(report);
    if (this.channel === undefined) this.writeFile(text);
    else await this.channel.say(text);
  }

  /** As `tell`, just before the process ends. */
  tellNow(report: TaskReport): void {
    if (this.isTold) return;
    this.isTold = true;
    const text = formatTaskReport(report);
    if (this.channel === undefined) this.writeFile(text);
    else this.channel.sayNow(text);
  }

  private writeFile(text: string): void {
    if (this.answers.report !== undefined) writeFileSync(this.answers.report, text);
  }
}
