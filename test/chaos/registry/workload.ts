import { setTimeout as delay } from 'node:timers/promises';
import {
  type CreateMode,
  type RegistryCenter,
  RegistryUnavailableError,
  SessionLostError,
} from '../../../libs/elastic-job/src/registry/index.js';
import type { Seeded } from '@test/support/seeded.js';

export const TREE = { logs: '/logs', pairs: '/pairs', alive: '/alive', registers: '/registers', counter: '/counter' };

/** Fate of a write, as its caller was told. */
export type Fate = 'done' | 'unknown' | 'not-applied';

export interface Write {
  readonly path: string;
  readonly fate: Fate;
  /** The session, if it was the same before and after. */
  readonly sessionId: string | undefined;
}

type Kind = 'log' | 'pair' | 'alive' | 'register' | 'count';
const KINDS: readonly Kind[] = ['log', 'pair', 'alive', 'register', 'count'];
const LONGEST_PAUSE_MS = 80;
const WRITE_LIMIT_MS = 4_000;

/** A client that keeps writing and records the answers. */
export class Workload {
  readonly writes: Readonly<Record<Kind, Write[]>> = { log: [], pair: [], alive: [], register: [], count: [] };
  /** Errors that no write may end with. */
  readonly surprises: unknown[] = [];
  readonly #running: Promise<void>;
  #isStopped = false;

  constructor(
    readonly name: string,
    readonly client: RegistryCenter,
    private readonly random: Seeded,
  ) {
    this.#running = this.#run();
  }

  /** The node that only this client writes. */
  get register(): string {
    return `${TREE.registers}/${this.name}`;
  }

  /** Resolves when the last write has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let n = 1; !this.#isStopped; n += 1) {
      const kind = this.random.of(KINDS);
      await this.#note(kind, n);
      await delay(this.random.between(1, LONGEST_PAUSE_MS));
    }
  }

  async #note(kind: Kind, n: number): Promise<void> {
    const { id } = this.client.session;
    const path = `${this.name}-${n}`;
    const fate = await this.#fateOf(this.#write(kind, path, String(n)));
    const sessionId = this.client.session.id === id ? id : undefined;
    if (fate) this.writes[kind].push({ path: kind === 'register' ? String(n) : path, fate, sessionId });
  }

  #write(kind: Kind, name: string, value: string): Promise<unknown> {
    const options = { timeoutMs: WRITE_LIMIT_MS };
    const create = (path: string, mode: CreateMode) => this.client.create(path, value, mode, options);
    switch (kind) {
      case 'log':
        return create(`${TREE.logs}/${name}`, 'PERSISTENT');
      case 'alive':
        return create(`${TREE.alive}/${name}`, 'EPHEMERAL');
      case 'register':
        return this.client.set(this.register, value, undefined, options);
      case 'pair':
        return this.#createPair(`${TREE.pairs}/${name}`);
      case 'count':
        return this.#count();
      default:
        return kind satisfies never;
    }
  }

  async #createPair(path: string): Promise<void> {
    const operations = ['a', 'b'].map(
      (half) => ({ kind: 'create', path: `${path}-${half}`, data: '', mode: 'PERSISTENT' }) as const,
    );
    const { kind } = await this.client.transaction(operations, { timeoutMs: WRITE_LIMIT_MS });
    if (kind === 'refused') throw new Error(`The pair ${path} was refused.`);
  }

  /** Adds one, unless another client was faster. */
  async #count(): Promise<void> {
    const { data, stat } = (await this.client.read(TREE.counter, { timeoutMs: WRITE_LIMIT_MS }))!;
    await this.client.set(TREE.counter, String(Number(data) + 1), stat.version, { timeoutMs: WRITE_LIMIT_MS });
  }

  async #fateOf(write: Promise<unknown>): Promise<Fate | undefined> {
    try {
      await write;
      return 'done';
    } catch (error) {
      if (error instanceof RegistryUnavailableError) return error.fate;
      if (error instanceof SessionLostError) return 'unknown';
      if (!isLostRace(error)) this.surprises.push(error);
      return undefined;
    }
  }
}

function isLostRace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'BAD_VERSION';
}
