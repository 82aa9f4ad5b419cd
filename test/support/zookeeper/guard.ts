import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** An action that happens even if this process is killed outright. */
export interface Guard {
  /** Does it now, and resolves when it is done. */
  release(): Promise<void>;
  /** Cancels the action. */
  cancel(): void;
}

/**
 * Starts a shell that waits on a pipe. The pipe closes when this process releases it or ends in any way, and the shell
 * then runs the command.
 * @param values the command's `$1`, `$2` and so on
 */
export function guard(command: string, ...values: readonly string[]): Guard {
  const shell = spawn('sh', ['-c', `read -r _; ${command}`, 'guard', ...values], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const done = once(shell, 'exit').then(() => undefined);
  shell.stdin.on('error', () => {});
  shell.unref();
  return {
    async release() {
      shell.ref();
      shell.stdin.destroy();
      await done;
    },
    cancel() {
      shell.kill('SIGKILL');
    },
  };
}
