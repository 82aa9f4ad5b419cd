import type { Clock } from '../../clock/index.js';
import { Namespace } from '../namespace.js';
import { SharedRegistry } from '../shared-registry.js';
import { MemoryEnsemble } from './memory-ensemble.js';
import type { Latency } from './memory-link.js';
import type { MemoryServer } from './memory-server.js';
import type { MemorySession } from './memory-session.js';

/** How a client of a memory registry behaves. */
export interface MemoryRegistryCenterOptions {
  readonly namespace: string;
  /** The client's own clock; it may differ from the server's. */
  readonly clock: Clock;
  /** Milliseconds for which the server keeps the session of a client that it does not hear. */
  readonly sessionTimeoutMs: number;
  /** Longest wait for an answer, in milliseconds, for requests that set no limit. */
  readonly requestTimeoutMs: number;
  /** @default 1_000_000 */
  readonly maxRequestBytes?: number;
  /**
   * Milliseconds from a request to its answer; a function draws it for each message. 0 means one microtask each way:
   * the fastest, but a loop that awaits only requests keeps timers and sockets waiting.
   * @default 0
   */
  readonly latencyMs?: Latency;
  /**
   * Milliseconds by which news of other clients' writes come late, as from a follower that lags behind; a function
   * draws it for each commit. An answer comes after all news that precede it, which is the purpose of a sync.
   * @default 0
   */
  readonly newsLagMs?: Latency;
}

/**
 * One client of a `MemoryRegistry`. Sizes are counted as ZooKeeper counts them, with the open ACL: a tree that fits
 * here fits there too.
 */
export class MemoryRegistryCenter extends SharedRegistry {
  private readonly client: MemorySession;

  /**
   * @internal
   * @throws {ConfigurationError} for a namespace that ZooKeeper would refuse.
   */
  constructor(server: MemoryServer, options: MemoryRegistryCenterOptions) {
    const { clock, latencyMs = 0, maxRequestBytes = 1_000_000 } = options;
    const resolved = { ...options, namespace: new Namespace(options.namespace), latencyMs };
    const ensemble = new MemoryEnsemble(server, resolved, maxRequestBytes);
    super(ensemble, clock);
    this.client = ensemble.client;
  }

  /**
   * Freezes the process of this client, as SIGSTOP does: messages that it has sent arrive, messages to it wait, and the
   * server ends its session after the timeout. Stop its clock as well. For simulations.
   */
  freeze(): void {
    this.client.freeze();
  }

  /** Lets the process go on. After too long a pause it first receives SUSPENDED and LOST, at once. */
  thaw(): void {
    this.client.thaw();
  }

  /** Cuts the network between this client and the registry for good. */
  unplug(): void {
    this.client.link.break();
    this.client.disconnected();
  }
}
