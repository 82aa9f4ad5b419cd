/** Rights of a caller: each role may what those before it may. */
export type ConsoleRole = 'viewer' | 'operator' | 'admin';

/** All roles, ascending. */
export const CONSOLE_ROLES = ['viewer', 'operator', 'admin'] as const satisfies readonly ConsoleRole[];

/** True if the role may what `wanted` may. */
export function mayAs(role: ConsoleRole, wanted: ConsoleRole): boolean {
  return CONSOLE_ROLES.indexOf(role) >= CONSOLE_ROLES.indexOf(wanted);
}

/** Somebody who was let in. */
export interface ConsoleCaller {
  readonly name: string;
  readonly role: ConsoleRole;
  /** For this caller there are no jobs but those whose name begins so. @default all jobs */
  readonly jobPrefix?: string | undefined;
  /** How the caller was recognized. */
  readonly by: 'page' | 'token' | 'host';
}

/** True if there are jobs that are not there for the caller. */
export function hasJobPrefix({ jobPrefix = '' }: Pick<ConsoleCaller, 'jobPrefix'>): boolean {
  return jobPrefix !== '';
}

/** True if there is such a job for the caller. */
export function seesJob({ jobPrefix = '' }: Pick<ConsoleCaller, 'jobPrefix'>, jobName: string): boolean {
  return jobName.startsWith(jobPrefix);
}
