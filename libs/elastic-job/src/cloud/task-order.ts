import {
  isSameTarget,
  type JobName,
  type TaskResources,
  type TaskTemplate,
  type TriggerOrigin,
} from '../domain/index.js';

export type { TaskResources, TaskTemplate } from '../domain/index.js';

/** Place of a task: at most one task with this key exists at a time. */
export interface TaskKey {
  /** Name of all schedulers that share the jobs. */
  readonly cluster: string;
  readonly jobName: JobName;
  readonly item: number;
}

/** Target of a run, with the number of its launches. A task of another target is never adopted. */
export interface TaskTarget {
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  /** Number from 1; raised by every relaunch of the target, and kept by an adoption. */
  readonly launch: number;
}

/** Everything that a backend needs to know about a task. */
export interface TaskOrder {
  readonly key: TaskKey;
  readonly target: TaskTarget;
  /** The begin to which it belongs, as the item's record names it. */
  readonly run: string;
  /** The fencing token of that begin. */
  readonly token: bigint;
  readonly template: TaskTemplate;
  readonly resources: TaskResources;
  /** Makes the text of `ELASTIC_JOB_TASK`, given the ways in which the task may answer. @see TaskEnvelope */
  readonly envelope: (answers: TaskAnswers) => string;
  /**
   * The span of its item, in the form of W3C's `traceparent` header: the variable `TRACEPARENT` of the task.
   * @default none
   * @see OpenTelemetry, "Environment Variables as Context Propagation Carriers"
   */
  readonly traceparent?: string | undefined;
  /**
   * Longest run, in milliseconds. The backend alone counts it, from the first start of the task: not from its opening,
   * and not anew for an adopter. @default without limit
   */
  readonly timeoutMs?: number;
  /** Time from the request to end until it is killed, in milliseconds. */
  readonly graceMs: number;
}

/** Ways in which a task can talk to its scheduler, as named in its envelope. */
export interface TaskAnswers {
  /** A file descriptor that carries one JSON object a line, in both directions. */
  readonly channel?: number;
  /** A file that receives the report. */
  readonly report?: string;
}

/** An existing task, for comparison with a claim. */
interface StandingTask {
  readonly target: TaskTarget;
  readonly run: string;
  readonly token: bigint;
}

/**
 * Verdict on a claim when a task exists already.
 * - `own`: the same order has been claimed before;
 * - `adopted`: the claim takes the task over;
 * - `occupied`: it is a task of another target or launch, or cannot be taken over;
 * - `taken`: another claim with a greater token holds it.
 */
type ClaimVerdict = 'own' | 'adopted' | 'occupied' | 'taken';

/** Judges a claim by the rules of every backend. @param adopts the backend's `adopts` */
export function judgeClaim(
  standing: StandingTask,
  order: Pick<TaskOrder, 'target' | 'run' | 'token'>,
  adopts: boolean,
): ClaimVerdict {
  const isSame = isSameTarget(standing.target, order.target) && standing.target.launch === order.target.launch;
  if (!isSame) return 'occupied';
  if (order.token < standing.token) return 'taken';
  if (order.token === standing.token) return order.run === standing.run ? 'own' : 'taken';
  return adopts ? 'adopted' : 'occupied';
}

/** The key as a text, equal only for equal keys. */
export function placeOf({ cluster, jobName, item }: TaskKey): string {
  return JSON.stringify([cluster, jobName, item]);
}

/** The target and its launch as a text, equal only for equal ones. */
export function launchOf({ fireTime, origin, launch }: TaskTarget): string {
  return JSON.stringify([fireTime, origin, launch]);
}
