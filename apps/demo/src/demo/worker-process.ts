import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { DemoEvent } from './demo-event.js';

/** Settings of a worker process, sent as its only argument. */
export interface WorkerSettings {
  readonly instance: string;
  /** The ZooKeeper server list. */
  readonly servers: string;
  readonly namespace: string;
  readonly databaseFile: string;
}

/** Command to a worker: stop itself with SIGSTOP, or leave in order. */
export type WorkerCommand = 'freeze' | 'leave';

const LONGEST_LEAVE_MS = 10_000;

/** One worker in a process of its own. */
export class WorkerProcess {
  private readonly child: ChildProcess;

  /** @param failed called if the process ends by itself with an error */
  constructor(settings: WorkerSettings, hear: (event: DemoEvent) => void, failed: (error: Error) => void) {
    this.child = fork(new URL('./cluster-worker.js', import.meta.url), [JSON.stringify(settings)]);
    this.child.on('message', (event: DemoEvent) => hear(event));
    this.child.on('exit', (status) => {
      if (status) failed(new Error(`Worker ${settings.instance} ended with status ${status}.`));
    });
  }

  send(command: WorkerCommand): void {
    this.child.send(command);
  }

  signal(signal: 'SIGCONT' | 'SIGKILL'): void {
    this.child.kill(signal);
  }

  /** Lets the process leave in order, and kills it if that takes too long. Resolves when it has ended. */
  async leave(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit', { signal: AbortSignal.timeout(LONGEST_LEAVE_MS) });
    this.signal('SIGCONT');
    this.send('leave');
    await exit.catch(() => this.signal('SIGKILL'));
  }
}
