import type { SessionInfo, SessionState, ZooKeeperOptions } from '../../../libs/elastic-job/src/registry/index.js';
import { type ClientProcess, forkClient, type ProcessEnd } from '@test/support/faults/index.js';
import { CONNECTION, NAMESPACE } from './stage.js';

const FIXTURE = new URL('./remote.fixture.ts', import.meta.url);
/** A process may have to compile the library first. */
const START_LIMIT_MS = 40_000;

interface Told {
  readonly ready?: true;
  readonly done?: string;
  readonly failed?: string;
  readonly result?: unknown;
  readonly message?: string;
  readonly session?: SessionInfo;
  readonly uncaught?: string;
}

/** A registry center in a process of its own. */
export class RemoteCenter {
  constructor(private readonly process: ClientProcess) {}

  /** Resolves when the process has ended. */
  get ended(): Promise<ProcessEnd> {
    return this.process.ended;
  }

  /** Calls a method of the center, or one of the fixture's own. @throws if it fails there */
  async call(name: string, ...given: readonly unknown[]): Promise<unknown> {
    this.process.send({ call: name, given });
    const { failed, message, result } = await this.#told((told) => told.done === name || told.failed === name);
    if (failed !== undefined) throw new Error(`${name} failed there: ${message}`);
    return result;
  }

  /** Calls a method without waiting for its end. */
  send(name: string, ...given: readonly unknown[]): void {
    this.process.send({ call: name, given });
  }

  /** The next event of that state. */
  async session(state: SessionState | undefined, limitMs?: number): Promise<SessionInfo> {
    const { session } = await this.#told((told) => told.session !== undefined && told.session.state === state, limitMs);
    return session!;
  }

  /** The message of the next uncaught error of the process. */
  async uncaught(): Promise<string> {
    return (await this.#told((told) => told.uncaught !== undefined)).uncaught!;
  }

  untilReady(): Promise<unknown> {
    return this.#told(({ ready }) => ready === true, START_LIMIT_MS);
  }

  /** SIGSTOP. */
  pause(): void {
    this.process.pause();
  }

  /** SIGCONT. */
  resume(): void {
    this.process.resume();
  }

  stop(): Promise<void> {
    return this.process.stop();
  }

  #told(matches: (told: Told) => boolean, limitMs?: number): Promise<Told> {
    return this.process.receive((message): message is Told => isTold(message) && matches(message), limitMs);
  }
}

function isTold(message: unknown): message is Told {
  return typeof message === 'object' && message !== null;
}

/** Starts a process with a center that is not connected yet. */
export async function startRemoteCenter(options: Partial<ZooKeeperOptions>): Promise<RemoteCenter> {
  const given = { namespace: NAMESPACE, sessionTimeoutMs: 2_000, requestTimeoutMs: 5_000, ...CONNECTION, ...options };
  const remote = new RemoteCenter(forkClient(FIXTURE, [JSON.stringify(given)]));
  await remote.untilReady();
  return remote;
}
