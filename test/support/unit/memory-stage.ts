import {
  MemoryRegistry,
  type MemoryRegistryCenter,
  type RegistryCenter,
  type SessionInfo,
} from '../../../libs/elastic-job/src/registry/index.js';
import { VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';

export const SESSION_TIMEOUT_MS = 10_000;
export const REQUEST_TIMEOUT_MS = 1_000;

type CenterOptions = Parameters<MemoryRegistry['center']>[0];

/** A registry in memory, with its time and any number of clients. */
export class MemoryStage {
  readonly registry: MemoryRegistry;

  constructor(readonly clock = new VirtualClock()) {
    this.registry = new MemoryRegistry(clock);
  }

  options(more: Partial<CenterOptions> = {}): CenterOptions {
    const timeouts = { sessionTimeoutMs: SESSION_TIMEOUT_MS, requestTimeoutMs: REQUEST_TIMEOUT_MS };
    return { namespace: 'test', clock: this.clock, ...timeouts, ...more };
  }

  async connected(more?: Partial<CenterOptions>): Promise<MemoryRegistryCenter> {
    const client = this.registry.center(this.options(more));
    await this.during(() => client.connect());
    return client;
  }

  /** Advances virtual time until the work is done. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const progress = { done: false };
    const result = work().finally(() => (progress.done = true));
    while (!progress.done) await this.clock.advance(1);
    return result;
  }
}

export function idOf(client: RegistryCenter): string {
  return client.session.id!;
}

/** The states and sessions that a client reports from now on. */
export function statesOf(client: RegistryCenter): readonly string[] {
  const states: string[] = [];
  client.onSession(({ state, id }: SessionInfo) => states.push(`${state} ${id}`));
  return states;
}
