import type { SessionInfo } from '../../registry/index.js';
import type { JobStatus } from '../job/index.js';

export type RuntimePhase = 'idle' | 'starting' | 'running' | 'draining' | 'stopped';

/** What health is judged by. */
export interface RuntimeStatus {
  readonly phase: RuntimePhase;
  readonly processing: boolean;
  readonly session: SessionInfo;
  /** How long the session has been in its state, in milliseconds. */
  readonly sessionForMs: number;
  /**
   * So far this host's clock was ahead of the registry's when fire times began to wait for the latter, in milliseconds;
   * undefined: they do not.
   */
  readonly heldBackMs?: number;
  /**
   * So far this host's clock was behind the registry's when that was found out, in milliseconds; undefined: it is not.
   */
  readonly behindMs?: number;
  readonly jobs: readonly JobStatus[];
}
