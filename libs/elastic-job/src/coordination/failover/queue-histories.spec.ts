import { describe, expect, it } from 'vitest';
import { DrainDeadlineError, ExecutorDeathError, type ShardOutcome } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import type { ExecutionLease } from '../execution/index.js';
import { JobPaths } from '../job-tree/index.js';
import { JOB, type Member, Registry, SUCCEEDED } from '@test/support/unit/member.js';

const TOTAL = 4;
const LIMIT = 3;
const STEPS = 60;
const OUTCOMES: readonly ShardOutcome[] = [
  SUCCEEDED,
  { kind: 'failed', error: new Error('no such order') },
  { kind: 'failed', error: new ExecutorDeathError('LOST', 'spec') },
  { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) },
];

/** A run of an item under way. */
interface Held {
  readonly member: Member;
  readonly lease: ExecutionLease;
}

describe.each(Array.from({ length: 40 }, (_, seed) => seed))('random history %i', (seed) => {
  it('queues no item that already runs or waits', async () => {
    const history = await History.start(seed);
    for (let step = 0; step < STEPS; step++) await history.step();
    await history.comeToRest();
    expect(history.doubles).toEqual([]);
    expect(history.queued).toBeGreaterThan(0);
  });
});

class History {
  readonly doubles: string[] = [];
  queued = 0;
  private readonly held: Held[] = [];
  private readonly work: Promise<unknown>[] = [];
  private readonly paths = new JobPaths(JOB);
  private members: Member[] = [];
  private fireTime = 0;

  private constructor(
    private readonly registry: Registry,
    private readonly leader: Member,
    private state: number,
  ) {}

  static async start(seed: number): Promise<History> {
    const registry = new Registry();
    const [leader] = await registry.sharded(1, { shardingTotalCount: TOTAL, failoverQueueLimit: LIMIT });
    const history = new History(registry, leader, seed * 7_919 + 1);
    for (let count = 0; count < 3; count++) await history.join();
    history.watch(leader);
    return history;
  }

  /** Starts something while earlier steps may still be under way. */
  async step(): Promise<void> {
    const member = this.members[this.chance(this.members.length)]!;
    const item = this.chance(TOTAL);
    switch (this.chance(6)) {
      case 0:
      case 1:
        this.fireTime += 1_000;
        return this.start(this.begin(member, item, this.fireTime));
      case 2:
        return this.settleOne();
      case 3:
        return this.start(this.leader.orphans.sweep(this.leader.tree, this.leader.leader.term(JOB)!));
      case 4:
        return this.start(this.claim(member));
      default:
        return this.chance(3) > 0 ? this.registry.clock.advance(1) : this.replace(member);
    }
  }

  async comeToRest(): Promise<void> {
    await Promise.all(this.work);
    await this.registry.clock.advance(10);
  }

  private start(work: Promise<unknown>): void {
    this.work.push(work);
  }

  private async begin(member: Member, item: number, fireTime: number): Promise<void> {
    const { lease } = await member.begin([item], { fireTime });
    if (lease !== undefined) this.held.push({ member, lease });
  }

  private async claim(member: Member): Promise<void> {
    await member.tree.sync();
    const from = this.chance(2 * TOTAL);
    const claim = await member.queue.claim(JOB, from < TOTAL ? { from } : {});
    if (claim.kind === 'claimed') this.held.push({ member, lease: claim.lease });
  }

  private settleOne(): void {
    const index = this.chance(this.held.length || 1);
    const [held] = this.held.splice(index, 1);
    for (const item of held?.lease.items ?? []) held!.lease.settle(item, OUTCOMES[this.chance(OUTCOMES.length)]!);
  }

  /** Dies only when idle, so that no request of it is left without an answer. */
  private async replace(member: Member): Promise<void> {
    await this.comeToRest();
    member.tree.close(new Error('dead'));
    member.die();
    this.members = this.members.filter((other) => other !== member);
    for (const held of this.held.filter((run) => run.member === member)) this.held.splice(this.held.indexOf(held), 1);
    await this.join();
  }

  private async join(): Promise<void> {
    const member = await this.registry.joined({ shardingTotalCount: TOTAL, failoverQueueLimit: LIMIT });
    this.members.push(member);
    this.watch(member);
  }

  /** Judges each committed transaction by the state of the registry at that moment. */
  private watch({ center }: Member): void {
    const transaction = center.transaction.bind(center);
    center.transaction = async (operations, options) => {
      const result = await transaction(operations, options);
      if (result.kind === 'committed') await this.judge(operations);
      return result;
    };
  }

  private async judge(operations: readonly Operation[]): Promise<void> {
    const { paths } = this;
    const { tree } = this.leader;
    for (let item = 0; item < TOTAL; item++) {
      if (!operations.some(({ kind, path }) => kind === 'create' && path === paths.queued(item))) continue;
      this.queued += 1;
      await tree.sync();
      // The answer may come later than the one to the claim that removes the entry.
      if (!tree.has(paths.queued(item))) continue;
      if (this.held.some(({ lease }) => lease.items.includes(item))) this.doubles.push(`${item} is held`);
      if (tree.isRunning(item) || tree.has(paths.mark(item, 'failover'))) this.doubles.push(`${item} is marked`);
    }
  }

  /** A whole number below `limit`, by a generator of Lehmer's kind. */
  private chance(limit: number): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state % limit;
  }
}
