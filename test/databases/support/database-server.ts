import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type GuardedProcess, startGuarded } from '@test/support/zookeeper/guarded-process.js';
import { freePort } from '@test/support/zookeeper/loopback.js';

const START_LIMIT_MS = 30_000;
const PROBE_PAUSE_MS = 100;

/** The way to make and run a database's server from its Debian package. */
export interface ServerKind {
  /** The account of its package, for a process that is root, since servers refuse to run as root. */
  readonly account: string;
  /** The shell command that ends the server, whose process id is $server. */
  readonly kill: string;
  /** Makes an empty database cluster. */
  init(directory: string): readonly string[];
  run(directory: string, port: number): readonly string[];
  /** Rejects until the server answers. */
  probe(port: number): Promise<void>;
}

/** A real server on a free loopback port, which can be stopped for a while. It ends with this process at the latest. */
export class DatabaseServer {
  private process: GuardedProcess | undefined;

  private constructor(
    private readonly kind: ServerKind,
    private readonly directory: string,
    readonly port: number,
  ) {}

  static async create(kind: ServerKind): Promise<DatabaseServer> {
    const directory = await mkdtemp(join(tmpdir(), 'database-'));
    await chmod(directory, 0o700);
    if (process.getuid?.() === 0) await chown(directory, ...(await idsOf(kind.account)));
    const server = new DatabaseServer(kind, directory, await freePort());
    const [command, ...parameters] = asAccount(kind, kind.init(directory));
    await promisify(execFile)(command!, parameters, { cwd: directory });
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const scratch = await mkdtemp(join(tmpdir(), 'database-guard-'));
    const command = asAccount(this.kind, this.kind.run(this.directory, this.port));
    this.process = await startGuarded(command, scratch, { kill: this.kind.kill });
    const deadline = performance.now() + START_LIMIT_MS;
    // A server accepts connections only once it answers.
    for (;;) {
      try {
        return await this.kind.probe(this.port);
      } catch (cause) {
        if (performance.now() > deadline)
          throw new Error(`The server did not start: ${this.process.lastWords()}`, { cause });
      }
      await delay(PROBE_PAUSE_MS);
    }
  }

  /** Stops the server, whose port then refuses clients. The data stay. */
  async stop(): Promise<void> {
    await this.process?.stop();
    this.process = undefined;
  }

  /** Freezes the server: it accepts connections and answers nothing. For servers of one process. */
  pause(): void {
    process.kill(this.process!.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.process!.pid, 'SIGCONT');
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The first of the paths at which there is a program. */
export function findProgram(...paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}

function asAccount({ account }: ServerKind, command: readonly string[]): readonly string[] {
  if (process.getuid?.() !== 0) return command;
  return ['setpriv', `--reuid=${account}`, `--regid=${account}`, '--clear-groups', ...command];
}

async function idsOf(account: string): Promise<[number, number]> {
  const ids = ['-u', '-g'].map(async (flag) => Number((await promisify(execFile)('id', [flag, account])).stdout));
  const [uid, gid] = await Promise.all(ids);
  return [uid!, gid!];
}
