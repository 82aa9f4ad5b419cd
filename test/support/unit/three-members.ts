import type { ExecutionLease } from '../../../libs/elastic-job/src/coordination/execution/index.js';
import type { LeadershipTerm } from '../../../libs/elastic-job/src/coordination/leadership/index.js';
import { JOB, type Member, Registry } from './member.js';

/** A leader and two others, which see orphaned items. */
export class ThreeMembers {
  private constructor(
    readonly registry: Registry,
    readonly leader: Member,
    readonly worker: Member,
    readonly third: Member,
  ) {}

  static async start(): Promise<ThreeMembers> {
    const registry = new Registry();
    const [leader, worker, third] = await registry.sharded(3);
    return new ThreeMembers(registry, leader, worker!, third!);
  }

  /** The leader's term. */
  get term(): LeadershipTerm {
    return this.leader.leader.term(JOB)!;
  }

  /** Queues a run of each item whose holder has died. @returns the token of the last of them */
  orphan(...items: number[]): Promise<bigint> {
    return this.orphanOf(1_000, ...items);
  }

  async orphanOf(fireTime: number, ...items: number[]): Promise<bigint> {
    const token = await this.registry.orphan(this.leader, items, fireTime);
    await Promise.all([this.worker, this.third].map(({ tree }) => tree.sync()));
    return token;
  }

  async settledIn(lease: ExecutionLease) {
    await this.registry.clock.advance(0);
    return lease.settled();
  }
}
