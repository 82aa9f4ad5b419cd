import {
  type Fault,
  type History,
  type JobPlan,
  type RegistryStep,
  type Run,
  runsOf,
  type Span,
  TOLERANCE_MS,
  type TreeSight,
} from './history.js';
import { overlap, touches, union } from './spans.js';

/** Time that a failover may take on top of session timeout and tick. */
const FAILOVER_SLACK_MS = 300;
/** Time from the return of a handler to the record of its end. */
const SETTLE_MS = 100;
/** Time from a healed network or server to a client that is connected and has its jobs. */
const RECONNECT_MS = 1_000;
/** Clocks that count as right may be two seconds apart. */
const EDIT_MS = 3_000;

/** The longest time from the death of an instance to the deletion of its node and the restart of its runs. */
export function failoverBoundMs({ sessionTimeoutMs, tickMs }: Pick<History, 'sessionTimeoutMs' | 'tickMs'>): number {
  return sessionTimeoutMs + tickMs + FAILOVER_SLACK_MS;
}

/**
 * Reasons why an item may not run: faults of its holder, its owner, the leader or the ensemble. The excuse of a fault
 * ends when it is healed and the client is back, or when the session has ended and others have taken over.
 */
export class Excuses {
  readonly #struck = new Map<string, readonly Span[]>();
  readonly #everybody: readonly Span[];

  constructor(private readonly history: History) {
    const { faults, stalls, runs, sights } = history;
    const spans = (victim: string | undefined) =>
      union(faults.filter((fault) => fault.victim === victim && !fault.items).map((fault) => this.#spanOf(fault)));
    this.#everybody = union([...spans(undefined), ...stalls]);
    const workers = [...runs.map(({ worker }) => worker), ...faults.map(({ victim }) => victim)];
    const seen = sights.flatMap(({ owners, holders, leader }) => [...owners, ...holders, leader]);
    for (const worker of new Set([...workers, ...seen])) {
      if (worker !== undefined) this.#struck.set(worker, spans(worker));
    }
  }

  /** Spans in which this worker could not be expected to act. */
  struck(worker: string): readonly Span[] {
    return union([...(this.#struck.get(worker) ?? []), ...this.#everybody]);
  }

  /** True if the worker, or every worker, suffered a fault in that span. */
  isStruck(worker: string, span: Span): boolean {
    return this.struck(worker).some((each) => touches(each, span));
  }

  /** True if any worker suffered a fault in that span. */
  isAnybodyStruck(span: Span): boolean {
    return [...this.#struck.keys()].some((worker) => this.isStruck(worker, span));
  }

  /** Spans in which no instance could be expected to begin the item. */
  of(job: JobPlan, item: number): readonly Span[] {
    const held = runsOf(this.history.runs, job.name, item).map((run) => this.#hold(run));
    const sights = this.history.sights.filter((sight) => sight.job === job.name);
    const waiting = sights.flatMap((sight, index) => this.#during(sight, sights[index + 1]?.at ?? Infinity, item));
    return union([...held, ...waiting, ...this.refused(job.name, item), ...this.#everybody]);
  }

  /** Spans in which the item could not be written, until the refused write has been tried again. */
  refused(job: string, item: number): readonly Span[] {
    return this.history.faults
      .filter(({ items }) => items?.job === job && items.items.includes(item))
      .map((fault) => this.#spanOf(fault));
  }

  /** True if the job's `config` was edited in that span of the worker's clock: nobody owes what came before an edit. */
  isEdited(job: string, span: Span, worker: string): boolean {
    const widened = (ms: number): Span => ({ from: span.from - ms, to: span.to + ms });
    const near = widened(this.#isClockStepped(worker, widened(TOLERANCE_MS)) ? TOLERANCE_MS + EDIT_MS : EDIT_MS);
    return this.history.faults.some((fault) => fault.edits === job && touches(fault, near));
  }

  /** True if the worker's clock was stepped, or the registry's by which it places an edit. */
  #isClockStepped(worker: string, span: Span): boolean {
    const { faults, registry } = this.history;
    const isStep = ({ from, aheadMs }: RegistryStep, index: number) =>
      aheadMs !== registry[index - 1]?.aheadMs && from >= span.from && from <= span.to;
    return (
      faults.some((fault) => fault.isClock && fault.victim === worker && touches(fault, span)) || registry.some(isStep)
    );
  }

  /** A run holds its item until its end is written, and a struck worker cannot write it. */
  #hold(run: Run): Span {
    const { begunAt: from, worker } = run;
    const to = run.endedAt ?? from;
    const struck = this.struck(worker).filter((span) =>
      touches(span, { from, to: (run.endedAt ?? Infinity) + SETTLE_MS }),
    );
    if (run.endedAt === undefined && struck.length === 0) return { from, to: this.history.to };
    const until = run.endedAt === undefined ? struck[0]!.to : Math.max(to, ...struck.map((span) => span.to));
    return { from, to: until };
  }

  /** A mark stands while its holder lives, so an item waits for it even if it has another owner by now. */
  #during({ at, leader, owners, holders }: TreeSight, until: number, item: number): readonly Span[] {
    const responsible = [owners[item], holders[item], leader].filter((worker) => worker !== undefined);
    return responsible.flatMap((worker) => this.struck(worker).map((span) => overlap(span, { from: at, to: until })));
  }

  /**
   * End of the excuse of a death. A new leader of ZooKeeper counts every session from the beginning again, also those
   * of the dead. A fault of the ensemble before they expire therefore makes them last longer.
   */
  #expiryOf(death: number): number {
    const bound = failoverBoundMs(this.history);
    const ofEnsemble = this.history.faults.filter(
      ({ items, keepsSession, victim }) => victim === undefined && !items && !keepsSession,
    );
    return ofEnsemble
      .toSorted((a, b) => a.from - b.from)
      .reduce((end, { from, to }) => (from < end && to > death ? Math.max(end, to + bound) : end), death + bound);
  }

  #spanOf(fault: Fault): Span {
    const { victim, from, to, isFatal, isHeard = victim === undefined, keepsSession = false, retryMs = 0 } = fault;
    const bound = failoverBoundMs(this.history);
    if (isFatal) return { from, to: this.#expiryOf(from) };
    if (keepsSession || fault.items) return { from, to: to + RECONNECT_MS + retryMs };
    // Clients may consider their sessions ended. Their nodes stand until the servers have counted anew.
    const isLong = isHeard && to - from > this.history.sessionTimeoutMs / 2;
    if (victim !== undefined) {
      return { from, to: Math.min(to, from + bound) + RECONNECT_MS + (isLong ? bound : 0) };
    }
    return { from, to: to + RECONNECT_MS + (isLong ? bound : 0) };
  }
}
