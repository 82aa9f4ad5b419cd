import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/**
 * A server process that cannot outlive this one. A shell stands between the two and holds the reading end of a pipe.
 * The pipe closes when this process stops the server, ends, crashes or is killed outright. The shell then kills the
 * server and removes its directory. It has a process group of its own, so that Ctrl-C reaches only this process.
 */
export interface GuardedProcess {
  /** Process id of the server itself, for tests that pause or kill it. */
  readonly pid: number;
  /** Last output of the server, for error messages. */
  lastWords(): string;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Kills the server, and resolves when it and its directory are gone. */
  stop(): Promise<void>;
}

// The shell closes its own output once the server runs. Writing to a closed pipe would end it too early.
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- 1>&2 &
server=$!
(read -r _ <&3; eval "$KILL") >/dev/null 2>&1 &
exec 3<&-
echo $server
exec >/dev/null 2>&1
wait $server
rm -rf "$DIRECTORY"
`;

export interface GuardOptions {
  /** The shell command that ends the server, whose process id is $server. */
  readonly kill?: string;
  /** Called with the output of the server. */
  readonly onOutput?: (text: string) => void;
}

/** @param directory removed when the server has ended */
export async function startGuarded(
  command: readonly string[],
  directory: string,
  { kill = 'kill -KILL $server', onOutput }: GuardOptions = {},
): Promise<GuardedProcess> {
  const guard = spawn('sh', ['-c', GUARD, 'zookeeper-guard', ...command], {
    detached: true,
    env: { ...process.env, DIRECTORY: directory, KILL: kill },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(guard, 'exit').then(() => undefined);
  // Ends the watcher. It would otherwise wait on, and could kill a later process with the same id.
  guard.once('exit', () => guard.stdin.destroy());
  let words = '';
  guard.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-2_000);
    onOutput?.(text);
  });
  const [pid]: unknown[] = await once(guard.stdout.setEncoding('utf8'), 'data');

  // Does not keep this process alive: it can end although the server was not stopped.
  guard.unref();
  for (const pipe of [guard.stdin, guard.stdout, guard.stderr]) if (pipe instanceof Socket) pipe.unref();

  return {
    pid: Number(pid),
    lastWords: () => words.trim(),
    ended,
    stop: async () => {
      guard.ref();
      guard.stdin.destroy();
      await ended;
    },
  };
}
