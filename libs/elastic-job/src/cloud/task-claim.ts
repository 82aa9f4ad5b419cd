import { isSameTarget } from '../domain/index.js';
import type { TaskKey, TaskOrder, TaskTarget } from './task-order.js';

/** A task that exists, as a claim is compared with it. */
export interface StandingTask {
  readonly target: TaskTarget;
  readonly run: string;
  readonly token: bigint;
}

/**
 * Verdict on a claim where a task stands already.
 * - `own`: the same order has been claimed before;
 * - `adopted`: the claim takes the task over;
 * - `occupied`: it is a task of another target or launch, or cannot be taken over;
 * - `taken`: somebody holds it with a greater token.
 */
export type ClaimVerdict = 'own' | 'adopted' | 'occupied' | 'taken';

/** Judges a claim in the way that is the same for every backend. @param adopts as the backend's */
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

/** The key as a text: equal for equal keys alone. */
export function placeOf({ cluster, jobName, item }: TaskKey): string {
  return JSON.stringify([cluster, jobName, item]);
}

/** The target and its launch as a text: equal for equal ones alone. */
export function launchOf({ fireTime, origin, launch }: TaskTarget): string {
  return JSON.stringify([fireTime, origin, launch]);
}
