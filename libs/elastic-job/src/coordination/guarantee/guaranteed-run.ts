import { type Clock, Deadline, waitFor, waitUntil, whileWaiting } from '../../clock/index.js';
import {
  ElasticJobError,
  type GuaranteePhase,
  isSameRound,
  type JobConfiguration,
  type JobName,
  readable,
  type RunBarrier,
  type Target,
} from '../../domain/index.js';
import { acquireLatch } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import type { ExecutionLease } from '../execution/index.js';
import { type JobTree, type JobTreeEventKind, untilAnswered, untilCommitted } from '../job-tree/index.js';
import { arrivalOf, arrive, isPassed, pass, removeArrivals, RoundView } from './round-view.js';

/** A begun lease whose listeners have not all been called for its end yet. */
export interface OpenRun {
  readonly round: Target;
  /** Aborts when the run is over. */
  readonly end: AbortSignal;
}

/** Parts that the barriers of a job need. */
interface GuaranteeParts {
  readonly tree: JobTree;
  readonly clock: Clock;
  /** Runs of the job on this instance. */
  readonly open: Set<OpenRun>;
  configuration(): JobConfiguration;
}

/** One wait at a barrier. */
interface Visit {
  readonly phase: GuaranteePhase;
  readonly timeoutMs: number;
  readonly deadline: Deadline;
  readonly atLast: () => unknown;
}

/** Events after which another item may have arrived, or is no longer awaited. */
const NEWS: readonly JobTreeEventKind[] = [
  'GuaranteeChanged',
  'InstanceLost',
  'ServerChanged',
  'ShardingCompleted',
  'ItemQueued',
  'ItemReleased',
  'ConfigurationChanged',
  'TreeReset',
];

/** A Java peer reads twice between its arrival and its wait. */
const JAVA_READ_MS = 500;

/** The barriers of one lease. */
export class GuaranteedRun implements RunBarrier {
  private readonly round: Target;
  private readonly ending = new AbortController();
  private readonly entry: OpenRun;

  constructor(
    private readonly parts: GuaranteeParts,
    private readonly lease: ExecutionLease,
  ) {
    const { fireTime, origin } = lease.trigger;
    this.round = { fireTime, origin };
    this.entry = { round: this.round, end: this.ending.signal };
    parts.open.add(this.entry);
  }

  async meet(phase: GuaranteePhase, timeoutMs: number, atLast: () => unknown): Promise<void> {
    const { clock, tree } = this.parts;
    const { signal } = this.lease;
    const visit = { phase, timeoutMs, deadline: Deadline.after(clock, timeoutMs), atLast };
    signal.throwIfAborted();
    if (phase === 'started') await this.earlierRounds(visit);
    try {
      await repeat(untilAnswered(tree, signal), () => this.arrive(phase));
      await repeat(untilAnswered(tree, signal), () => this.wait(visit));
    } catch (error) {
      await this.withdraw(phase);
      throw error;
    }
  }

  /** Ends the visit: the lease and its listeners are done, so the next round may begin here. */
  leave(): void {
    this.parts.open.delete(this.entry);
    this.ending.abort();
  }

  private async earlierRounds(visit: Visit): Promise<void> {
    const isEarlier = ({ round }: OpenRun) => round.fireTime < this.round.fireTime && !isSameRound(round, this.round);
    for (const { end } of [...this.parts.open].filter(isEarlier)) {
      const isEnded = () => end.aborted;
      const limits = { deadline: visit.deadline, signals: [this.lease.signal] };
      if (!(await waitUntil(isEnded, (look) => whileWaiting(end, look), limits))) throw this.timeout(visit, []);
    }
  }

  private async arrive(phase: GuaranteePhase): Promise<void> {
    const { tree } = this.parts;
    const { holder, items, signal } = this.lease;
    await tree.sync({ signal });
    await repeat(untilCommitted(tree, 'arriving at a barrier'), async () => {
      if (isPassed(tree, phase, this.round)) return true;
      const operations = arrive(tree, phase, items, { by: holder, round: this.round });
      if (operations.length === 0) return true;
      await tree.commit(operations, { signal });
      return undefined; // Read the result, since others arrive at the same time.
    });
  }

  private async wait(visit: Visit): Promise<void> {
    const { tree } = this.parts;
    const { signal } = this.lease;
    for (let view = this.view(visit.phase); !view.isOver(); view = this.view(visit.phase)) {
      if (!(await tree.loadRecords(view.absent(), { signal }))) {
        this.assertInTime(visit, view.absent());
        await tree.sync({ signal });
        continue;
      }
      const missing = view.missing();
      if (missing.length === 0 && view.isLast()) {
        if (view.isJavaHere() && (await this.hasChangedForJava(visit))) continue;
        if (await this.callBack(visit)) return;
        this.assertInTime(visit, view.absent());
        continue; // News from the time of the call is in the tree, and does not come again.
      }
      if (!(await this.news(visit.deadline))) throw this.timeout(visit, missing);
    }
  }

  /**
   * Waits until Java peers have looked. A Java peer checks once, right after its arrival, if all have come, and then
   * waits for the phase to go. If the phase went before that wait, the peer would wait until its time-out.
   * @returns true if something has changed meanwhile
   */
  private hasChangedForJava({ deadline }: Visit): Promise<boolean> {
    return this.news(deadline.within(JAVA_READ_MS));
  }

  /** @returns false if the deadline came first */
  private news(deadline: Deadline): Promise<boolean> {
    const { tree } = this.parts;
    const onNews = (goOn: () => void) => tree.on(({ kind }) => NEWS.includes(kind) && goOn());
    return waitFor(onNews, { deadline, signals: [tree.signal, this.lease.signal] });
  }

  /** @returns false if the round must be looked at again */
  private async callBack(visit: Visit): Promise<boolean> {
    const { clock, tree } = this.parts;
    const { holder, signal } = this.lease;
    const timeoutMs = visit.deadline.leftMs;
    const path = tree.paths.guaranteeLatch(visit.phase);
    const latch = await acquireLatch(tree.registry, clock, path, { data: holder, timeoutMs, signal });
    if (latch === undefined) throw this.timeout(visit, []);
    try {
      // A Java peer may have had the latch before.
      await tree.sync({ signal });
      const view = this.view(visit.phase);
      if (view.isOver()) return true;
      if (!(await tree.loadRecords(view.absent(), { signal })) || view.missing().length > 0) return false;
      await this.conclude(visit);
      return true;
    } finally {
      void latch.release();
    }
  }

  // Calls the listener, after which the others go on, even if it throws.
  private async conclude({ phase, atLast }: Visit): Promise<void> {
    const { tree } = this.parts;
    try {
      await atLast();
    } catch (error) {
      // At once: a promise in it has rejected long before this call does.
      throw readable(error);
    } finally {
      const end = () =>
        repeat(untilCommitted(tree, 'ending a round'), async () => {
          if (isPassed(tree, phase, this.round)) return true;
          const { kind } = await tree.commit(pass(tree, phase, this.round));
          return kind === 'committed' || undefined;
        });
      await repeat(untilAnswered(tree), end);
    }
  }

  /** Withdraws own arrivals, so that the others do not count on items that no longer wait. */
  private async withdraw(phase: GuaranteePhase): Promise<void> {
    const { tree } = this.parts;
    if (tree.signal.aborted) return;
    const isOwn = (item: number) =>
      this.lease.items.includes(item) && arrivalOf(tree, phase, item)?.by === this.lease.holder;
    const operations = removeArrivals(tree, phase, isOwn);
    try {
      if (operations.length > 0) await tree.commit(operations);
    } catch {
      // A remaining arrival is overwritten in the next round.
    }
  }

  private view(phase: GuaranteePhase): RoundView {
    return new RoundView(this.parts.tree, this.parts.configuration(), phase, this.round, this.lease);
  }

  private assertInTime(visit: Visit, missing: readonly number[]): void {
    if (visit.deadline.leftMs === 0) throw this.timeout(visit, missing);
  }

  private timeout({ phase, timeoutMs }: Visit, missing: readonly number[]): GuaranteeTimeoutError {
    return new GuaranteeTimeoutError(this.parts.tree.jobName, phase, timeoutMs, missing);
  }
}

/**
 * Not every item of a run reached the barrier in time.
 * @remarks Look for items that are missing in the message: their instance is slow, or gone. The run goes on without
 *   them. A Java peer does not call a listener whose type was not in the node's `jobListenerTypes` when the peer
 *   started: restart it.
 */
export class GuaranteeTimeoutError extends ElasticJobError {
  readonly code = 'GUARANTEE_TIMEOUT';

  constructor(
    readonly jobName: JobName,
    readonly phase: GuaranteePhase,
    readonly timeoutMs: number,
    /** Items that were missing; empty if an earlier run was awaited, or the instance that came last. */
    readonly missing: readonly number[],
  ) {
    super(
      `Job "${jobName}": not all items had ${phase} within ${timeoutMs} ms` +
        `${missing.length > 0 ? ` (missing: ${missing.join(', ')})` : ''}; the run goes on without the others.`,
    );
  }
}
