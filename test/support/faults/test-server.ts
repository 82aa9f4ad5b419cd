import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fourLetter } from '../zookeeper/four-letter.js';
import { startGuarded, type GuardedProcess } from '../zookeeper/guarded-process.js';
import { serves } from '../zookeeper/loopback.js';
import type { ZooKeeperServer } from '../zookeeper/zookeeper-server.js';
import { readDump } from './dump.js';
import { ExpiryLog } from './expiry-log.js';
import type { ProcessClock } from './process-clock.js';
import { layOutServer, type ServerLayout, type TestServerOptions, type TlsAccess } from './server-layout.js';

export type ServerState = 'running' | 'paused' | 'down';
const MODES = ['standalone', 'leader', 'follower'] as const;
export type ServerMode = (typeof MODES)[number];

const START_LIMIT_MS = 20_000;
const PROBE_LIMIT_MS = 300;

/** A real server on loopback that can be broken and queried. It ends with this process at the latest. */
export class TestServer implements ZooKeeperServer {
  readonly connect: string;
  readonly port: number;
  /** Access by TLS, if it was asked for. */
  readonly tls: TlsAccess | undefined;
  /** Its wall clock, if it has its own. Transactions get the time of the leader. */
  readonly clock: ProcessClock | undefined;
  readonly #expiries = new ExpiryLog();
  #process: GuardedProcess | undefined;
  #state: ServerState = 'down';
  #runs = 0;

  constructor(private readonly layout: ServerLayout) {
    this.port = layout.port;
    this.connect = `127.0.0.1:${layout.port}`;
    this.tls = layout.tls;
    this.clock = layout.clock;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Starts the process, which need not serve yet: a member of an ensemble waits for the others. */
  async launch(): Promise<void> {
    if (this.#process) throw new Error('The server runs already.');
    // Each run has its own directory for the files that Java unpacks, removed with it.
    const temporary = join(this.layout.directory, `run-${(this.#runs += 1)}`);
    await mkdir(temporary);
    const [java = 'java', ...rest] = this.layout.command;
    const plain = [java, `-Djava.io.tmpdir=${temporary}`, ...rest];
    const command = this.clock?.command(plain) ?? plain;
    const started = await startGuarded(command, temporary, { onOutput: (text) => this.#expiries.read(text) });
    this.#process = started;
    this.#state = 'running';
    void this.#noteEnd(started);
  }

  /** @throws with the server's last words, if it does not serve within the limit */
  async untilServing(limitMs = START_LIMIT_MS): Promise<void> {
    const launched = this.#process;
    if (!launched) throw new Error('The server is down.');
    if (await serves(this.port, launched.ended, limitMs)) return;
    throw new Error(`The ZooKeeper server does not serve: ${launched.lastWords()}`);
  }

  /** Ends it in order (SIGTERM) if it runs, and starts it again with the same data on the same port. */
  async restart(): Promise<void> {
    const running = this.#process;
    if (running) {
      this.#signal('SIGTERM');
      // A paused process gets the signal when it goes on.
      if (this.#state === 'paused') this.#signal('SIGCONT');
      await running.ended;
    }
    await this.launch();
    await this.untilServing();
  }

  /** SIGKILL. Resolves when the process is gone; `restart` brings it back. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#signal('SIGKILL');
    await running?.ended;
  }

  /** SIGSTOP: its connections stay open, but it does not answer. */
  pause(): void {
    this.#signal('SIGSTOP');
    this.#state = 'paused';
  }

  /** SIGCONT. */
  resume(): void {
    this.#signal('SIGCONT');
    this.#state = 'running';
  }

  /** Its answer to a four letter word such as `cons`. @throws if there is none within the limit */
  fourLetter(word: string, limitMs?: number): Promise<string> {
    return fourLetter(this.port, word, limitMs);
  }

  /** Its mode in the ensemble. Undefined while it does not serve. */
  async mode(): Promise<ServerMode | undefined> {
    if (this.#state !== 'running') return undefined;
    const text = await this.fourLetter('srvr', PROBE_LIMIT_MS).catch(() => '');
    return MODES.find((mode) => text.includes(`Mode: ${mode}\n`));
  }

  /** The sessions that it considers alive, by id in hexadecimal digits, with the paths of their ephemeral nodes. */
  async sessions(): Promise<ReadonlyMap<string, readonly string[]>> {
    return readDump(await this.fourLetter('dump'));
  }

  /**
   * Resolves to the time at which this server expired the session, by the wall clock in milliseconds. In an ensemble,
   * only the leader expires sessions.
   * @throws if it has not within the limit, in milliseconds
   */
  untilExpired(sessionId: string, limitMs: number): Promise<number> {
    return this.#expiries.untilExpired(sessionId, limitMs);
  }

  /** The end of its log. */
  lastWords(): string {
    return `--- ${this.connect}, ${this.#state}\n${this.#process?.lastWords() ?? ''}`;
  }

  /** Ends it for good and removes its data. */
  async stop(): Promise<void> {
    await this.#process?.stop();
    await this.clock?.stop();
    await this.layout.removal.release();
  }

  async #noteEnd(run: GuardedProcess): Promise<void> {
    await run.ended;
    this.#process = undefined;
    this.#state = 'down';
  }

  #signal(signal: NodeJS.Signals): void {
    if (!this.#process) throw new Error(`The server is down and cannot get a ${signal}.`);
    process.kill(this.#process.pid, signal);
  }
}

/** Starts a standalone server. */
export async function startZooKeeperServer(options: TestServerOptions = {}): Promise<TestServer> {
  const server = new TestServer(await layOutServer(options));
  try {
    await server.launch();
    await server.untilServing();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
