import type { JobSession } from './job-session.js';

/**
 * Relation of this process to a job.
 *
 * ```mermaid
 * stateDiagram-v2
 *   [*] --> outside
 *   outside --> waiting: the tree is read, and the job may run here
 *   waiting --> entering: the settings can be used
 *   entering --> registered: the instance node exists
 *   registered --> outside: the session is lost, the drain is over, or an operator has removed the instance
 *   entering --> outside: the session is lost
 *   waiting --> outside: the session is lost
 * ```
 */
export type JobMode =
  /** It has no session of the job, or is still reading its tree. */
  | { readonly kind: 'outside'; readonly session?: undefined }
  /** It watches the tree but is not registered, since nothing may begin with the present settings. */
  | { readonly kind: 'waiting'; readonly session: JobSession }
  | { readonly kind: 'entering'; readonly session: JobSession }
  /** It is registered, in the registry's session of that id. */
  | { readonly kind: 'registered'; readonly session: JobSession; readonly sessionId: string | undefined };

export const OUTSIDE: JobMode = { kind: 'outside' };
