import type { JobName } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';

/** One stretch of leadership of one instance over one job. */
export interface LeadershipTerm {
  readonly jobName: JobName;
  readonly instanceId: string;
  /** Grows with every election of our instances. */
  readonly term: number;
  /** Aborts when the term is over. */
  readonly signal: AbortSignal;
  /**
   * Operations to put before every transaction of the leader, which then commits only while the term lasts. `check`
   * sees only data versions, so it takes two nodes: the election node, which is at version 1 (Java's stays at version
   * 0), and the term node, whose version every election of ours raises.
   */
  readonly guard: readonly Operation[];
}
