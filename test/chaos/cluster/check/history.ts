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

/** One call of a handler, as the shared store and the handler's process have told of it. */
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
  /** When its handler was done; undefined if nobody heard of it. */
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

/** What was done to a worker, or to all of them by way of the ensemble. */
export interface Fault extends Span {
  readonly kind: string;
  /** Undefined: everybody. */
  readonly victim: string | undefined;
  /** The process stood still meanwhile. */
  readonly isPause: boolean;
  /** `to` is when it was healed; a killed worker never is, and `to` equals `from`. */
  readonly isFatal: boolean;
  /** The servers heard the victim all the time: its session lasts until they have not for as long, once it has given up. */
  readonly isHeard?: boolean;
}

/** What the tree of a job said from a moment on. */
export interface TreeSight {
  readonly job: string;
  readonly at: number;
  /** The name of the worker that leads. */
  readonly leader: string | undefined;
  /** The name of the worker that owns each item. */
  readonly owners: readonly (string | undefined)[];
}

/** Everything that the judges look at. */
export interface History extends Span {
  readonly jobs: readonly JobPlan[];
  readonly runs: readonly Run[];
  readonly effects: readonly Effect[];
  readonly faults: readonly Fault[];
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
  readonly rule: 'lost' | 'unexplained' | 'stale effect' | 'overlap' | 'no progress' | 'missed' | 'doubled' | 'litter';
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

/** The fire times of the job in a span. */
export function targetsOf({ periodMs }: JobPlan, { from, to }: Span): readonly number[] {
  const targets: number[] = [];
  for (let time = Math.ceil(from / periodMs) * periodMs; time < to; time += periodMs) targets.push(time);
  return targets;
}
