import { afterEach, beforeEach, inject } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import {
  type RegistryCenter,
  ZooKeeperRegistryCenter,
  type ZooKeeperOptions,
} from '../../../libs/elastic-job/src/registry/index.js';
import {
  type FaultProxy,
  OpenHandles,
  startFaultProxy,
  startZooKeeperServer,
  type TestServer,
  type TestServerOptions,
} from '@test/support/faults/index.js';
import { PromiseLedger } from './promise-ledger.js';

const REPEAT = Number(process.env['CHAOS_REPEAT'] ?? 1);
/** True if the full numbers of the promises are to be proven, not a short form of them. */
export const FULL = REPEAT > 1;
/** Options of every suite of faults. `CHAOS_REPEAT` says how often each test runs, once by default. */
export const EACH = { repeats: REPEAT - 1, timeout: 60_000 };
/** Allowed lateness of a timer, in milliseconds, on top of the stalls that `watchStalls` has seen. */
export const LATENESS_MS = 200;
/** Options of `expect.poll` for conditions without a time limit of their own. */
export const SOON = { timeout: 10_000 };
/**
 * A session that lives on while its server is restarted. Its client gives it up after four fifths of it, and a slow
 * machine may need longer than that to start a server.
 */
export const ENDURING_SESSION_MS = Math.max(4_000, 4 * inject('serverStartMs'));
/**
 * Time from the end of a restart to usable clients. An attempt that the server has forgotten takes a third of a
 * session.
 */
export const USABLE_WITHIN_MS = (3 / 4) * ENDURING_SESSION_MS;
export const NAMESPACE = 'chaos';
const workerUrl = inject('connectionWorker');
/** Connection of the clients of these suites: in a worker thread, if `CHAOS_CONNECTION` says so. */
export const CONNECTION: Pick<ZooKeeperOptions, 'connection' | 'workerUrl'> = workerUrl
  ? { connection: 'worker-thread', workerUrl: new URL(workerUrl) }
  : {};

type ClientOptions = Partial<ZooKeeperOptions> & Pick<ZooKeeperOptions, 'servers'>;

/** Servers, networks and clients of one test. It ends with nothing open and no promise forgotten. */
export class Stage {
  readonly clock = new SystemClock();
  readonly #handles = new OpenHandles();
  readonly #ledger = new PromiseLedger();
  readonly #centers: RegistryCenter[] = [];

  add: OpenHandles['add'] = (started) => this.#handles.add(started);

  /** A server of its own. Its ticks are short, so that sessions can be short. */
  server({ settings, ...options }: TestServerOptions = {}): Promise<TestServer> {
    return this.add(startZooKeeperServer({ ...options, settings: { tickTime: 100, ...settings } }));
  }

  /** A server behind a network. */
  async network(options?: TestServerOptions): Promise<{ readonly server: TestServer; readonly proxy: FaultProxy }> {
    const server = await this.server(options);
    return { server, proxy: await this.add(startFaultProxy(server.port)) };
  }

  /** A client that is not connected yet. */
  center(options: ClientOptions): RegistryCenter {
    const made = new ZooKeeperRegistryCenter(
      { namespace: NAMESPACE, sessionTimeoutMs: 2_000, requestTimeoutMs: 5_000, ...CONNECTION, ...options },
      this.clock,
    );
    const watched = this.#ledger.watch('center', made);
    this.#centers.push(watched);
    return watched;
  }

  /** A connected client. */
  async client(options: ClientOptions): Promise<RegistryCenter> {
    const made = this.center(options);
    await made.connect();
    return made;
  }

  /** Several connected clients. */
  clients(count: number, options: ClientOptions): Promise<readonly RegistryCenter[]> {
    return Promise.all(Array.from({ length: count }, () => this.client(options)));
  }

  /** Last lines of the servers' logs. */
  lastWords(): string {
    return this.#handles.lastWords().join('\n');
  }

  /** Closes everything. @throws if a promise of a client is still unsettled */
  async end(): Promise<void> {
    await Promise.all(this.#centers.map((center) => center.close()));
    await this.#handles.stopAll();
    await this.clock.nextTurn();
    const unsettled = this.#ledger.unsettled();
    if (unsettled.length > 0) throw new Error(`Promises are unsettled: ${unsettled.join(', ')}`);
  }
}

/** A stage for each test around the call. */
export function useStage(): () => Stage {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(stage.lastWords());
    await stage.end();
  });
  return () => stage;
}
