import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../zookeeper/loopback.js';
import { layOutServer, type TestServerOptions } from './server-layout.js';
import { TestServer } from './test-server.js';

const SERVING_LIMIT_MS = 30_000;
const PAUSE_MS = 25;

/** The running members, each with the mode that it reports: `leader`, `follower`, or nothing. */
type Modes = ReadonlyMap<TestServer, string | undefined>;

/** Real servers on loopback that form an ensemble. */
export class Ensemble {
  constructor(readonly members: readonly TestServer[]) {}

  /** The server list. */
  get connect(): string {
    return this.members.map(({ connect }) => connect).join(',');
  }

  /**
   * Resolves when the running members have a leader among them that all others follow.
   * @throws if that is not so within the limit
   */
  async untilServing(limitMs = SERVING_LIMIT_MS): Promise<void> {
    await this.#until(limitMs, 'serve', (modes) => {
      const led = [...modes.values()].filter((mode) => mode === 'leader').length === 1;
      return led && this.#running().every((member) => modes.get(member) !== undefined) ? true : undefined;
    });
  }

  /** Waits for an election that is under way. @throws if no running member leads within the limit */
  leader(): Promise<TestServer> {
    return this.#first('leader');
  }

  /** Waits for an election that is under way. @throws if no running member follows within the limit */
  follower(): Promise<TestServer> {
    return this.#first('follower');
  }

  /** Resolves to the time at which the leader expired the session, by the wall clock in milliseconds. */
  untilExpired(sessionId: string, limitMs: number): Promise<number> {
    return Promise.any(this.members.map((member) => member.untilExpired(sessionId, limitMs)));
  }

  /** The end of each log. */
  lastWords(): string {
    return this.members.map((member) => member.lastWords()).join('\n');
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
  }

  #first(mode: 'leader' | 'follower'): Promise<TestServer> {
    const isOfMode = ([, its]: readonly [TestServer, string | undefined]) => its === mode;
    return this.#until(SERVING_LIMIT_MS, `have a ${mode}`, (modes) => [...modes].find(isOfMode)?.[0]);
  }

  /** Asks the servers for their modes until the condition holds, because no event reports a change. */
  async #until<T>(limitMs: number, what: string, find: (modes: Modes) => T | undefined): Promise<T> {
    const deadline = performance.now() + limitMs;
    while (performance.now() < deadline) {
      const found = find(await this.#modes());
      if (found !== undefined) return found;
      await delay(PAUSE_MS);
    }
    throw new Error(`The ensemble does not ${what} within ${limitMs} ms.`);
  }

  async #modes(): Promise<Modes> {
    return new Map(await Promise.all(this.#running().map(async (member) => [member, await member.mode()] as const)));
  }

  #running(): readonly TestServer[] {
    return this.members.filter(({ state }) => state === 'running');
  }
}

/** Starts an ensemble of that many members. */
export async function startEnsemble(size = 3, options: TestServerOptions = {}): Promise<Ensemble> {
  const ports = await freePorts(2 * size);
  const ids = Array.from({ length: size }, (_, index) => index + 1);
  const addresses = ids.map((id) => [`server.${id}`, `127.0.0.1:${ports[2 * id - 2]}:${ports[2 * id - 1]}`]);
  const settings = { initLimit: 20, syncLimit: 10, ...Object.fromEntries(addresses), ...options.settings };
  const ensemble = new Ensemble(
    await Promise.all(ids.map(async (id) => new TestServer(await layOutServer({ ...options, settings }, id)))),
  );
  try {
    await Promise.all(ensemble.members.map((member) => member.launch()));
    await ensemble.untilServing();
    return ensemble;
  } catch (error) {
    await ensemble.stop();
    throw error;
  }
}
