import { isSameTarget } from '../domain/index.js';
import type { TaskKey, TaskOrder, TaskTarget } from './task-order.js';

/** An existing task, for comparison with a claim. */
export interface StandingTask {
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
export type ClaimVerdict = 'own' | 'adopted' | 'occupied' | 'taken';

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
