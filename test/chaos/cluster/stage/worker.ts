import type { FaultNetwork, ProcessClock } from '@test/support/faults/index.js';
import type { PeerProcess } from '@test/support/peers/peer-process.js';
import type { JobPlan } from '../check/index.js';

/** Settings of an instance of ours, sent as its only argument. */
export interface WorkerSettings {
  readonly name: string;
  readonly ip: string;
  readonly servers: string;
  readonly namespace: string;
  readonly sessionTimeoutMs: number;
  /** Target of its writes: `RunStore.url`. */
  readonly store: string;
  /** Files to which its handlers and its runtime append. */
  readonly runLog: string;
  readonly toldLog: string;
  /** From `HostTime`. */
  readonly epochMs: number;
  readonly jobs: readonly JobPlan[];
  /** Length of a run, from and to. */
  readonly leastMs: number;
  readonly mostMs: number;
  /** Version of the jobs, as their decorators have it. If it is given, it overwrites the registry's. */
  readonly version: string;
  /** Reports when it sees another instance go. */
  readonly observes?: boolean;
}

/** One instance in a process and behind a network of its own. */
export interface Worker {
  readonly name: string;
  readonly ip: string;
  readonly process: PeerProcess;
  readonly network: FaultNetwork;
  /** Undefined: it uses the host's. */
  readonly clock: ProcessClock | undefined;
}
