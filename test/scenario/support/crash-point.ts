import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import type { MemoryRegistry, MemoryRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { InstanceClock, type TestCluster } from '../../../libs/elastic-job/src/testing/index.js';

/** On which side of its request a process dies: the registry has not done it, or has done it and nobody hears so. */
export type Side = 'before' | 'after';

/** A process that can die at once: nothing of it happens any more, and its session ends after its timeout. */
export interface Mortal {
  readonly clock: Clock;
  readonly center: MemoryRegistryCenter;
  crash(): void;
}

/** ZooKeeper's code of a lost connection. A dead process never hears it. */
const CONNECTION_LOSS = -4;

/**
 * Kills a process at the nth request that it makes from now on, reads included. What it had sent after that one is
 * lost, so the registry has got the beginning of what it had to say, and nothing else.
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

  /** From now on the process lives on, if it has not died. */
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

  /** Ends what is left of it; a dead one is unplugged first. */
  async stop(): Promise<void> {
    if (this.isDead) this.center.unplug();
    this.clock.resume();
    this.center.thaw();
    await this.center.close();
  }
}
