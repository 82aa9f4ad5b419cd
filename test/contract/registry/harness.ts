import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';

/** An adapter of the registry port, as the contract suite uses it. */
export interface RegistryAdapter {
  /** The name in titles: `memory`, `zookeeper`. */
  readonly name: string;
  /** Called once for each topic. The result is stopped when the topic has ended. */
  start(): Promise<RegistryHarness>;
  /** Abilities that it does not have, as its spec says. Tests that need one are left out. */
  readonly lacks?: readonly Lack[];
}

/** `cuts`: connections that can be cut within a session. */
type Lack = 'cuts';

/** A running registry and everything that the suite does to it from outside of the port. */
export interface RegistryHarness {
  /** A client that is not connected yet. @throws {ConfigurationError} for a namespace that ZooKeeper would refuse. */
  center(options: ClientOptions): RegistryCenter;
  /** A connected client. */
  client(options: ClientOptions): Promise<RegistryCenter>;
  /** A legal namespace of two levels that nobody has used before. */
  newNamespace(): string;
  /**
   * Ends the client's session on the server, in a way that the client learns of. Resolves when the server has ended it.
   */
  expire(client: RegistryCenter): Promise<void>;
  /**
   * Breaks the client's connection, and maybe those of the others, once. Resolves when all have a new one in the same
   * session.
   */
  cut(client: RegistryCenter): Promise<void>;
  /** Closes every client that was handed out and whatever else is open. */
  stop(): Promise<void>;
}

export interface ClientOptions {
  readonly namespace: string;
  /** @default 1_000_000 */
  readonly maxRequestBytes?: number;
  /** The client's own clock. @default the host's */
  readonly clock?: Clock;
}
