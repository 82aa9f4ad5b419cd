import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type DemoSettings, SETTINGS_VARIABLE } from '../tasks/settings.js';
import type { DemoEvent } from './demo-event.js';

const LONGEST_LEAVE_MS = 10_000;

/** One scheduler in a process of its own. */
export class SchedulerProcess {
  private readonly child: ChildProcess;

  /** @param failed called if the process ends by itself with an error */
  constructor(settings: DemoSettings, hear: (event: DemoEvent) => void, failed: (error: Error) => void) {
    this.child = fork(new URL('../tasks/scheduler.js', import.meta.url), {
      env: { ...process.env, [SETTINGS_VARIABLE]: JSON.stringify(settings) },
    });
    this.child.on('message', (event: DemoEvent) => hear(event));
    this.child.on('exit', (status) => {
      if (status) failed(new Error(`Scheduler ${settings.instance} ended with status ${status}.`));
    });
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** Lets the process leave in order, and kills it if that takes too long. Resolves when it has ended. */
  async leave(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit', { signal: AbortSignal.timeout(LONGEST_LEAVE_MS) });
    this.child.send('leave');
    await exit.catch(() => this.kill());
  }
}
