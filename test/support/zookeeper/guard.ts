import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Something that is done even if this process is killed outright. */
export interface Guard {
  /** Does it now, and resolves when it is done. */
  release(): Promise<void>;
  /** It need not be done any more. */
  cancel(): void;
}

/**
 * Has a shell wait on a pipe that closes when this process releases it or ends, however it ends; the shell then runs
 * the command.
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
