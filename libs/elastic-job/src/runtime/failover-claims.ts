import type { Clock } from '../clock/index.js';
import type { ExecutionLease, JobTree } from '../coordination/index.js';
import { failsOver } from '../domain/index.js';
import type { JobEvents } from '../tracing/index.js';
import type { CoordinationServices } from './coordination-services.js';
import type { JobSettings } from './job-settings.js';
import type { LeaseRunner } from './lease-runner.js';
import { type Reaction, registryReaction } from './reaction.js';
import type { RunningItems } from './running-items.js';
import type { TriggerGate } from './trigger-gate.js';

/**
 * Who runs nothing claims at once; each running item makes an instance stand back for this long, up to four of them. So the
 * idlest comes first, and if all are busy an orphan waits for 40 ms at most.
 */
const STAND_BACK_MS = 10;
const MOST_STEPS_BACK = 4;

/** What claims need of a job's session. */
export interface FailoverClaimParts {
  readonly tree: JobTree;
  readonly services: CoordinationServices;
  readonly events: JobEvents;
  readonly clock: Clock;
  readonly settings: JobSettings;
  readonly running: RunningItems;
  readonly leases: LeaseRunner;
  readonly gate: TriggerGate;
  /** Nothing is left to claim here; a claim may also have found that an item is owed to nobody. */
  onClaimed(): void;
  /** Tells what has failed. */
  report(work: string): (error: unknown) => void;
}

/** Takes and runs the queued items of crashed instances, as long as this one has a free slot. */
export class FailoverClaims {
  private readonly claiming: Reaction;

  constructor(private readonly parts: FailoverClaimParts) {
    const { tree, clock } = parts;
    this.claiming = registryReaction(tree, clock, () => this.claimAll(), parts.report('claiming failover items'));
  }

  /** Something may have been queued, or a slot is free. */
  wake(): void {
    this.claiming.wake();
  }

  /** Claims nothing more by itself. */
  stop(): void {
    this.claiming.stop();
  }

  /** Claims one waiting item and runs it. @returns the lease, whose `settled()` tells the outcome */
  async claim(): Promise<ExecutionLease | 'lost' | 'empty'> {
    const { events, gate, leases, running, tree } = this.parts;
    if (!this.mayClaim || !gate.mayBeginUnasked) return 'empty';
    const lease = await running.expect(() => this.begin());
    if (typeof lease === 'string') return lease;
    events.emit({ kind: 'claimed', jobName: tree.jobName, items: lease.items, source: 'FAILOVER' });
    leases.start(lease, 'a failover item');
    return lease;
  }

  private async begin(): Promise<ExecutionLease | 'lost' | 'empty'> {
    const { clock, running, services, settings, tree } = this.parts;
    // Instances that look at the same time look at different items.
    const from = Math.floor(clock.random() * settings.configuration.shardingTotalCount);
    const claim = await services.queue.claim(tree.jobName, from, (item) => running.has(item));
    if (claim.kind !== 'claimed') return claim.kind;
    running.add(claim.lease);
    return claim.lease;
  }

  private async claimAll(): Promise<void> {
    const { clock, running, tree } = this.parts;
    if (tree.queue().length === 0 || !this.mayClaim) return;
    const stepsBack = Math.min(running.size, MOST_STEPS_BACK);
    if (stepsBack > 0) await clock.sleep(stepsBack * STAND_BACK_MS, tree.signal);
    while (this.hasFreeSlot) {
      if ((await this.claim()) === 'empty') break;
    }
    this.parts.onClaimed();
  }

  /** Failover is on, and no operator has disabled this server. */
  private get mayClaim(): boolean {
    const { settings, tree } = this.parts;
    return failsOver(settings.configuration) && tree.serverStatus(tree.self.serverIp) === 'ENABLED';
  }

  private get hasFreeSlot(): boolean {
    return this.parts.running.size < (this.parts.settings.configuration.concurrency ?? Infinity);
  }
}
