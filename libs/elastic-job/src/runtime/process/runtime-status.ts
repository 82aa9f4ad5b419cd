import type { SessionInfo } from '../../registry/index.js';
import type { JobStatus } from '../job/index.js';
import type { RestingTemplateJobs } from './resting-jobs.js';

export type RuntimePhase = 'idle' | 'starting' | 'running' | 'draining' | 'stopped';

/** Facts from which health is judged. */
export interface RuntimeStatus {
  readonly phase: RuntimePhase;
  readonly processing: boolean;
  readonly session: SessionInfo;
  /** Milliseconds since the session entered its present state. */
  readonly sessionForMs: number;
  /**
   * Milliseconds by which this host's clock was ahead of the registry's when fire times began to wait for the
   * registry's clock; undefined if they do not wait.
   */
  readonly heldBackMs?: number;
  /**
   * Milliseconds by which this host's clock was behind the registry's when that was noticed; undefined if it is not
   * behind.
   */
  readonly behindMs?: number;
  readonly jobs: readonly JobStatus[];
  /** Created jobs that are not joined: their templates have too many, or joining fails; undefined if there are none. */
  readonly resting?: readonly RestingTemplateJobs[];
}
