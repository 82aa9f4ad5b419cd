import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Window } from './cpu-trial.js';

const HOOKS = 'test/support/faults/register-typescript.mjs';

export interface ContestantOptions {
  /** The tree of the sources under measurement. */
  readonly tree: string;
  /** `memory`, or a server's address. */
  readonly registry: string;
  readonly cron: string;
  /** Destination of its CPU profile. */
  readonly profile?: string | undefined;
}

/** A process that runs the trial. */
export class Contestant {
  private constructor(private readonly child: ChildProcess) {}

  /** Resolves when its jobs have started. */
  static async start({ tree, registry, cron, profile }: ContestantOptions): Promise<Contestant> {
    const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
    const execArgv = [...profiling, '--no-deprecation', '--import', pathToFileURL(join(tree, HOOKS)).href];
    const contestant = new Contestant(fork(join(tree, 'bench/cpu-trial.ts'), [registry, cron], { execArgv }));
    await contestant.answer<string>();
    return contestant;
  }

  /** Measures the next windows. */
  async measure(windows: number): Promise<readonly Window[]> {
    this.child.send(windows);
    return this.answer<readonly Window[]>();
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }

  private answer<T>(): Promise<T> {
    return new Promise((resolve, reject) => {
      const { child } = this;
      const onEnd = (code: number | null): void => reject(new Error(`A measured process has ended with ${code}.`));
      child.once('exit', onEnd);
      child.once('message', (message: T) => {
        child.off('exit', onEnd);
        resolve(message);
      });
    });
  }
}
