import type { FaultNetwork, ProcessClock } from '../../../support/faults/index.js';
import type { PeerProcess } from '../../../support/peers/peer-process.js';
import type { JobPlan } from '../check/index.js';

/** What an instance of ours needs to know; sent as its only argument. */
export interface WorkerSettings {
  readonly name: string;
  readonly ip: string;
  readonly servers: string;
  readonly namespace: string;
  readonly sessionTimeoutMs: number;
  /** Where to write: `RunStore.url`. */
  readonly store: string;
  /** The files that its handlers and its runtime append to. */
  readonly runLog: string;
  readonly toldLog: string;
  /** Of `HostTime`. */
  readonly epochMs: number;
  readonly jobs: readonly JobPlan[];
  /** The length of a run, from and to. */
  readonly leastMs: number;
  readonly mostMs: number;
  /** Of the jobs, as their decorators have it; if there is one, it is written over the registry's. */
  readonly version: string;
  /** Tells when it sees another instance go. */
  readonly observes?: boolean;
}

/** One instance in a process and behind a network of its own. */
export interface Worker {
  readonly name: string;
  readonly ip: string;
  readonly process: PeerProcess;
  readonly network: FaultNetwork;
  /** Undefined: the host's. */
  readonly clock: ProcessClock | undefined;
}
