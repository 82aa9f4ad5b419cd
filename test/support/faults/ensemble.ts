import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../zookeeper/loopback.js';
import { layOutServer, type TestServerOptions } from './server-layout.js';
import { TestServer } from './test-server.js';

const SERVING_LIMIT_MS = 30_000;
const PAUSE_MS = 25;

/** Real servers on loopback that agree with each other. */
export class Ensemble {
  constructor(readonly members: readonly TestServer[]) {}

  /** The server list. */
  get connect(): string {
    return this.members.map(({ connect }) => connect).join(',');
  }

  /**
   * Resolves when the members that run have a leader among them, which all of them follow.
   * @throws if that is not so within the limit
   */
  async untilServing(limitMs = SERVING_LIMIT_MS): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (performance.now() < deadline) {
      const modes = await this.#modes();
      const led = [...modes.values()].filter((mode) => mode === 'leader').length === 1;
      if (led && this.#running().every((member) => modes.get(member) !== undefined)) return;
      await delay(PAUSE_MS);
    }
    throw new Error(`The ensemble does not serve within ${limitMs} ms.`);
  }

  /** @throws if no member that runs leads at this moment; `untilServing` waits for one */
  leader(): Promise<TestServer> {
    return this.#first('leader');
  }

  /** @throws if no member that runs follows at this moment */
  follower(): Promise<TestServer> {
    return this.#first('follower');
  }

  /** Resolves to the time at which whoever led expired the session, by the wall clock in milliseconds. */
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

  async #first(mode: 'leader' | 'follower'): Promise<TestServer> {
    for (const [member, its] of await this.#modes()) if (its === mode) return member;
    throw new Error(`No member of the ensemble is a ${mode} now.`);
  }

  async #modes(): Promise<ReadonlyMap<TestServer, string | undefined>> {
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
