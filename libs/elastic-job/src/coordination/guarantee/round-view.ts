import {
  type GuaranteePhase,
  isAwaited,
  isInstant,
  isSameRound,
  type JobConfiguration,
  readFields,
  type Target,
} from '../../domain/index.js';
import { creation, type Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** One phase of one round as one lease sees it, from the tree's memory. */
export class RoundView {
  constructor(
    private readonly tree: JobTree,
    private readonly configuration: JobConfiguration,
    readonly phase: GuaranteePhase,
    private readonly round: Target,
    private readonly lease: { readonly holder: string; readonly items: readonly number[] },
  ) {}

  /** True also if another client removed the own arrivals, which is how Java ends a round. */
  isOver(): boolean {
    const { tree, phase, lease } = this;
    if (isPassed(tree, phase, this.round)) return true;
    return lease.items.some((item) => {
      const by = arrivalOf(tree, phase, item)?.by;
      return !tree.has(tree.paths.guaranteed(phase, item)) || (by !== undefined && by !== lease.holder);
    });
  }

  /** True if a Java peer waits here, or is about to. */
  isJavaHere(): boolean {
    return this.tree.arrived(this.phase).some((item) => arrivalOf(this.tree, this.phase, item) === undefined);
  }

  /** True if the lease's instance came last among the living and must call the listener. */
  isLast(): boolean {
    let last = { by: '', zxid: -1n };
    for (const item of this.tree.arrived(this.phase)) {
      const arrival = arrivalOf(this.tree, this.phase, item);
      const zxid = this.tree.stat(this.tree.paths.guaranteed(this.phase, item))?.mzxid ?? -1n;
      if (arrival !== undefined && this.isHere(item) && zxid > last.zxid) last = { by: arrival.by, zxid };
    }
    return last.by === this.lease.holder;
  }

  /** Items of the job for which no living instance has arrived. */
  absent(): number[] {
    const { shardingTotalCount } = this.configuration;
    return this.tree.items().filter((item) => item < shardingTotalCount && !this.isHere(item));
  }

  /** Absent items that can still come. Their records must be loaded. */
  missing(): number[] {
    return this.absent().filter((item) => this.isAwaited(item));
  }

  private isAwaited(item: number): boolean {
    const { tree } = this;
    const owner = tree.availableInstance(tree.owner(item));
    const stored = tree.record(item)?.stored ?? { kind: 'none' };
    return isAwaited(this.phase, this.round, this.configuration, {
      owner: owner === undefined ? 'nobody' : owner.isOurs ? 'ours' : 'java',
      isDisabled: tree.isDisabled(item),
      isHeld: tree.isRunning(item) || tree.has(tree.paths.queued(item)),
      stored,
      isRecorderAlive: stored.kind === 'record' && tree.hasInstance(stored.record.by),
    });
  }

  /**
   * True if the item has arrived for this round. Java does not name the round; leftovers of a dead instance or an
   * earlier round do not count.
   */
  private isHere(item: number): boolean {
    if (!this.tree.has(this.tree.paths.guaranteed(this.phase, item))) return false;
    const arrival = arrivalOf(this.tree, this.phase, item);
    return arrival === undefined || (isSameRound(arrival.round, this.round) && this.tree.hasInstance(arrival.by));
  }
}

/** Undefined if the item has not arrived, or a Java peer has arrived for it. */
export function arrivalOf(tree: JobTree, phase: GuaranteePhase, item: number): Arrival | undefined {
  return parseArrival(tree.node(tree.paths.guaranteed(phase, item))?.data ?? '');
}

/** True if the listener was called for this round, or for a later one. */
export function isPassed(tree: JobTree, phase: GuaranteePhase, round: Target): boolean {
  const passed = parsePassed(tree.node(tree.paths.guarantees)?.data ?? '')[phase];
  return passed !== undefined && (passed.fireTime > round.fireTime || isSameRound(passed, round));
}

/**
 * Operations of an instance whose items arrive; empty if they have arrived already. Leftovers of dead instances are
 * removed.
 */
export function arrive(tree: JobTree, phase: GuaranteePhase, items: readonly number[], arrival: Arrival): Operation[] {
  const { paths } = tree;
  const data = formatArrival(arrival);
  const parents = [paths.guarantees, paths.guarantee(phase)].filter((path) => !tree.has(path));
  const dead = tree.arrived(phase).filter((item) => {
    const left = arrivalOf(tree, phase, item);
    return left !== undefined && !tree.hasInstance(left.by) && !items.includes(item);
  });
  return [
    ...parents.map((path) => creation(path)),
    ...dead.map((item) => remove(paths.guaranteed(phase, item))),
    ...items.flatMap((item): Operation[] => {
      const path = paths.guaranteed(phase, item);
      if (!tree.has(path)) return [creation(path, data)];
      return tree.node(path)?.data === data ? [] : [{ kind: 'set', path, data }];
    }),
  ];
}

/** Ends a round, so that all instances that wait for it go on. */
export function pass(tree: JobTree, phase: GuaranteePhase, round: Target): Operation[] {
  const path = tree.paths.guarantees;
  const passed = parsePassed(tree.node(path)?.data ?? '');
  const isOfLater = (item: number) => {
    const arrival = arrivalOf(tree, phase, item);
    return arrival !== undefined && tree.hasInstance(arrival.by) && !isSameRound(arrival.round, round);
  };
  return [
    { kind: 'set', path, data: formatPassed({ ...passed, [phase]: round }), version: tree.stat(path)?.version },
    ...removeArrivals(tree, phase, (item) => !isOfLater(item)),
  ];
}

/** Removes arrivals, and with the last one the phase itself, for which Java's instances wait. */
export function removeArrivals(tree: JobTree, phase: GuaranteePhase, isMeant: (item: number) => boolean): Operation[] {
  const { paths } = tree;
  if (!tree.has(paths.guarantee(phase))) return [];
  const arrived = tree.arrived(phase);
  const removed = arrived.filter(isMeant);
  const operations = removed.map((item) => remove(paths.guaranteed(phase, item)));
  return removed.length === arrived.length ? [...operations, remove(paths.guarantee(phase))] : operations;
}

function remove(path: string): Operation {
  return { kind: 'delete', path };
}

/** Content that our instances write on arrival; Java only checks that the node exists. */
export interface Arrival {
  readonly by: string;
  readonly round: Target;
}

/** Last finished round of each phase. */
export type PassedRounds = { readonly [phase in GuaranteePhase]?: Target };

export function formatArrival({ by, round: { fireTime, origin } }: Arrival): string {
  return JSON.stringify({ by, round: { fireTime, origin } });
}

/** Undefined for an arrival of a Java peer, or of a version that this one cannot judge. */
export function parseArrival(text: string): Arrival | undefined {
  const { by, round } = readFields(text) ?? {};
  const target = roundIn(round);
  return typeof by === 'string' && target !== undefined ? { by, round: target } : undefined;
}

export function formatPassed({ started, completed }: PassedRounds): string {
  return JSON.stringify({ started, completed });
}

export function parsePassed(text: string): PassedRounds {
  const { started, completed } = readFields(text) ?? {};
  return { started: roundIn(started), completed: roundIn(completed) };
}

function roundIn(value: unknown): Target | undefined {
  const { fireTime, origin } = (value ?? {}) as Partial<Target>;
  return isInstant(fireTime) && typeof origin === 'string' ? { fireTime, origin } : undefined;
}
