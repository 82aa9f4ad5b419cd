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
  /** The target. Undefined if the handler is not told it, as in Java. */
  readonly fireTime: number | undefined;
  readonly source: RunSource | undefined;
  /** Undefined: there is no fencing, as in Java. */
  readonly token: bigint | undefined;
  readonly worker: string;
  readonly begunAt: number;
  /** Time at which its work was done or had failed. Undefined if its process died first. */
  readonly endedAt: number | undefined;
  /** Time at which its signal told it to stop. */
  readonly abortedAt: number | undefined;
  /** `refused`: the store rejected its effect. `open`: no end was ever logged. */
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
  /** Begin of the run that has written. */
  readonly begunAt: number;
  readonly at: number;
}

/** A fire time of an item that was reported as missed, or all fire times of a span. */
export interface Told extends Span {
  readonly job: string;
  readonly item: number;
  readonly worker: string;
  readonly at: number;
}

/** A fault of one worker, or of the ensemble and so of all workers. */
export interface Fault extends Span {
  readonly kind: string;
  /** Undefined: every worker. */
  readonly victim: string | undefined;
  /** The process stood still meanwhile. */
  readonly isPause: boolean;
  /** `to` is the time of healing. A killed worker is never healed, and `to` equals `from`. */
  readonly isFatal: boolean;
  /**
   * The servers received messages of the victim all the time. Its session therefore lasts one more timeout after the
   * victim has given it up.
   */
  readonly isHeard?: boolean;
  /** The victim's session lasts, so no other instance takes its place until it is healed. */
  readonly keepsSession?: boolean;
  /** Only these items are affected. */
  readonly items?: { readonly job: string; readonly items: readonly number[] };
  /** The victim's clock was wrong meanwhile. */
  readonly isClock?: boolean;
  /** Name of a job whose `config` was written at its beginning, at its end, or at both. */
  readonly edits?: string;
  /** Longest time after the healing until a refused write is tried again. */
  readonly retryMs?: number;
}

/** A fire time that was reported as begun before it had come. */
export interface Early {
  readonly job: string;
  readonly item: number;
  readonly fireTime: number;
}

/** The registry's clock from a moment on: the clock of the server that leads. */
export interface RegistryStep {
  readonly from: number;
  /** Ahead of the host's, in milliseconds. */
  readonly aheadMs: number;
}

/** State of a job's tree from a moment on. */
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
  /** Undefined: the workers report nothing, as in Java. */
  readonly told: readonly Told[] | undefined;
  readonly early: readonly Early[];
  readonly faults: readonly Fault[];
  /** In order. */
  readonly registry: readonly RegistryStep[];
  readonly sights: readonly TreeSight[];
  /** Spans in which no process on this machine got the processor. */
  readonly stalls: readonly Span[];
  readonly sessionTimeoutMs: number;
  readonly tickMs: number;
  /** Longest wait of a target without an excuse. It allows for requests and new processes on a shared machine. */
  readonly slackMs: number;
}

/** A broken rule. */
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
  /** Time of the violation, for the story. */
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

/** A fire time this far ahead of the registry's clock is not due, by the library's own setting. */
export const TOLERANCE_MS = 10_000;

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
