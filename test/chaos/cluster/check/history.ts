import { isAhead } from '../../../../libs/elastic-job/src/domain/index.js';

/** A span of wall-clock time, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A job of the chaos: it is due at every multiple of its period. */
export interface JobPlan {
  readonly name: string;
  readonly cron: string;
  readonly periodMs: number;
  readonly items: number;
}

export type RunSource = 'NORMAL_TRIGGER' | 'MISFIRE' | 'FAILOVER';

/** One call of a handler, as the logs of its handler and of the store have it. */
export interface Run {
  readonly job: string;
  readonly item: number;
  /** The target; undefined if the handler is not told it, as Java's are not. */
  readonly fireTime: number | undefined;
  readonly source: RunSource | undefined;
  /** Undefined: there is no fencing, as in Java. */
  readonly token: bigint | undefined;
  readonly worker: string;
  readonly begunAt: number;
  /** When its work was done or had failed; undefined if its process died first. */
  readonly endedAt: number | undefined;
  /** When its signal told it to stop. */
  readonly abortedAt: number | undefined;
  /** `refused`: the store has turned its effect away. `open`: it was never heard of again. */
  readonly outcome: 'succeeded' | 'aborted' | 'refused' | 'open';
}

/** A write that the store has accepted. */
export interface Effect {
  /** The order in which the store has committed. */
  readonly position: number;
  readonly job: string;
  readonly item: number;
  readonly worker: string;
  readonly token: bigint | undefined;
  /** When the run began that has written. */
  readonly begunAt: number;
  readonly at: number;
}

/** A fire time of an item that was told as missed, or all of those in between. */
export interface Told extends Span {
  readonly job: string;
  readonly item: number;
  readonly worker: string;
  readonly at: number;
}

/** What was done to a worker, or to all of them by way of the ensemble. */
export interface Fault extends Span {
  readonly kind: string;
  /** Undefined: everybody. */
  readonly victim: string | undefined;
  /** The process stood still meanwhile. */
  readonly isPause: boolean;
  /** `to` is when it was healed; a killed worker never is, and `to` equals `from`. */
  readonly isFatal: boolean;
  /**
   * The servers heard the victim all the time: its session lasts until they have not for as long, once it has given up.
   */
  readonly isHeard?: boolean;
  /** The victim's session lasts, so nobody takes its place until it is healed. */
  readonly keepsSession?: boolean;
  /** Only these items suffer. */
  readonly items?: { readonly job: string; readonly items: readonly number[] };
  /** How long after the healing what was refused may wait until it is tried again. */
  readonly retryMs?: number;
}

/** A fire time that items were begun for although it was yet to come, as was told. */
export interface Early {
  readonly job: string;
  readonly item: number;
  readonly fireTime: number;
}

/** The registry's clock from a moment on: that of the server that leads. */
export interface RegistryStep {
  readonly from: number;
  /** Ahead of the host's, in milliseconds. */
  readonly aheadMs: number;
}

/** What the tree of a job said from a moment on. */
export interface TreeSight {
  readonly job: string;
  readonly at: number;
  /** The name of the worker that leads. */
  readonly leader: string | undefined;
  /** The name of the worker that owns each item. */
  readonly owners: readonly (string | undefined)[];
  /** The name of the worker that has marked each item as running. */
  readonly holders: readonly (string | undefined)[];
}

/** Everything that the judges look at. */
export interface History extends Span {
  readonly jobs: readonly JobPlan[];
  readonly runs: readonly Run[];
  readonly effects: readonly Effect[];
  /** Undefined: the workers tell nothing, as Java's. */
  readonly told: readonly Told[] | undefined;
  readonly early: readonly Early[];
  readonly faults: readonly Fault[];
  /** In order. */
  readonly registry: readonly RegistryStep[];
  readonly sights: readonly TreeSight[];
  /** When nobody on this machine got the processor. */
  readonly stalls: readonly Span[];
  readonly sessionTimeoutMs: number;
  readonly tickMs: number;
  /** What a target may wait without an excuse, for plans, requests and new processes on a machine that is shared. */
  readonly slackMs: number;
}

/** One thing that must not be. */
export interface Violation {
  readonly rule:
    | 'lost'
    | 'silent'
    | 'contradicted'
    | 'unexplained'
    | 'stale effect'
    | 'overlap'
    | 'no progress'
    | 'missed'
    | 'doubled'
    | 'litter';
  readonly job: string;
  readonly item: number | undefined;
  /** When it happened, for the story. */
  readonly at: number;
  readonly text: string;
}

/** The runs of an item in the order in which they began. */
export function runsOf(runs: readonly Run[], job: string, item: number): readonly Run[] {
  return runs.filter((run) => run.job === job && run.item === item).toSorted((a, b) => a.begunAt - b.begunAt);
}

export function itemsOf({ items }: JobPlan): readonly number[] {
  return Array.from({ length: items }, (_, item) => item);
}

/** A fire time that is so far ahead of the registry's clock is not due, by the library's own setting. */
const TOLERANCE_MS = 10_000;

/** True if the run was begun before its fire time had come by the registry's clock. */
export function isEarly({ fireTime, begunAt }: Run, { registry }: History): boolean {
  const aheadMs = registry.findLast(({ from }) => from <= begunAt)?.aheadMs ?? 0;
  const now = begunAt + aheadMs;
  return fireTime !== undefined && isAhead(fireTime, { earliest: now, latest: now, toleranceMs: TOLERANCE_MS });
}

/** The fire times of the job in a span. */
export function targetsOf({ periodMs }: JobPlan, { from, to }: Span): readonly number[] {
  const targets: number[] = [];
  for (let time = Math.ceil(from / periodMs) * periodMs; time < to; time += periodMs) targets.push(time);
  return targets;
}
