import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import type { MemoryRegistry, MemoryRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { InstanceClock, type TestCluster } from '../../../libs/elastic-job/src/testing/index.js';

/**
 * The side of its request on which a process dies: before the registry has executed it, or after that but before the
 * answer.
 */
export type Side = 'before' | 'after';

/** A process that can die at once: it does nothing more, and its session ends after the timeout. */
export interface Mortal {
  readonly clock: Clock;
  readonly center: MemoryRegistryCenter;
  crash(): void;
}

/** ZooKeeper's code of a lost connection. A dead process never sees it. */
const CONNECTION_LOSS = -4;

/**
 * Kills a process at its nth request from now on, reads included. Its later requests are lost. So the registry has got
 * a first part of what it would have sent, and nothing else.
 */
export class CrashPoint {
  private requests = 0;
  private hasStruck = false;
  private readonly release: () => void;

  constructor(registry: MemoryRegistry, victim: Mortal, nth: number, side: Side) {
    const { id } = victim.center.session;
    this.release = registry.failRequests((sessionId) => {
      if (sessionId !== id) return undefined;
      if (this.hasStruck) return CONNECTION_LOSS;
      this.requests += 1;
      if (this.requests < nth) return undefined;
      this.hasStruck = true;
      victim.crash();
      return side === 'before' ? CONNECTION_LOSS : undefined;
    });
  }

  /** The process is dead. */
  get struck(): boolean {
    return this.hasStruck;
  }

  /** Lets the process live on if it has not died yet. */
  disarm(): void {
    if (!this.hasStruck) this.release();
  }
}

/** An operator's process, which is no instance of any job. */
export class OperatorProcess implements Mortal {
  readonly clock: InstanceClock;
  readonly center: MemoryRegistryCenter;
  private isDead = false;

  constructor(cluster: TestCluster) {
    this.clock = new InstanceClock(cluster.clock.fork({ hostAddress: '10.0.1.1' }));
    this.center = cluster.registry.center({
      namespace: 'test',
      clock: this.clock,
      sessionTimeoutMs: 5_000,
      requestTimeoutMs: 5_000,
      latencyMs: 2,
    });
  }

  crash(): void {
    this.isDead = true;
    this.clock.pause();
    this.center.freeze();
  }

  /** Ends what is left of the process; a dead one is unplugged first. */
  async stop(): Promise<void> {
    if (this.isDead) this.center.unplug();
    this.clock.resume();
    this.center.thaw();
    await this.center.close();
  }
}
