/**
 * Barriers at which all items of a run wait for each other: once all have begun, and once all have ended.
 *
 * State: `guarantee/{phase}/{item}` means that an item has arrived. Java only checks that it exists; ours holds the
 * arriving instance and its round, which is the run of a whole job for one target. `guarantee` itself holds the last
 * finished round of each phase. The instance that calls the listener holds Curator's latch `guarantee/{phase}-latch`,
 * as in Java.
 *
 * Guarantees: the listener is called by one instance, when every item that can arrive has. Then one transaction removes
 * the arrivals and ends the round, and all go on. Leftovers of a crashed instance do not count. An instance begins a
 * round only when the previous one is over there, so two rounds of one job never overlap.
 *
 * Failures: an item of a dead instance is awaited if another one will take it over, and not otherwise. If the instance
 * that came last dies before it has called the listener, the one before it does. Every wait ends with its time limit or
 * with its lease, and then the own arrivals are withdrawn.
 */
import type { Clock } from '../../clock/index.js';
import type { GuaranteePhase, JobName } from '../../domain/index.js';
import type { Configurations } from '../configuration/index.js';
import type { ExecutionLease } from '../execution/index.js';
import { type JobTree, type JobTrees, untilCommitted } from '../job-tree/index.js';
import { repeat } from '../../repeat/index.js';
import { removeArrivals } from './round-view.js';
import { GuaranteedRun, type OpenRun } from './guaranteed-run.js';

/** Barriers of jobs with distribute-once listeners. */
export class Guarantees {
  private readonly runs = new WeakMap<JobTree, Set<OpenRun>>();

  constructor(
    private readonly trees: JobTrees,
    private readonly configurations: Configurations,
    private readonly clock: Clock,
  ) {}

  /** Items that have arrived at a phase by now, ascending. */
  async arrived(jobName: JobName, phase: GuaranteePhase): Promise<readonly number[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    return tree.arrived(phase);
  }

  /** Releases all items that wait at a phase, as if the listener had been called. */
  async clear(jobName: JobName, phase: GuaranteePhase): Promise<void> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    await repeat(untilCommitted(tree, `clearing what has ${phase}`), async () => {
      const operations = removeArrivals(tree, phase, () => true);
      if (operations.length === 0) return true;
      await tree.commit(operations);
      return undefined;
    });
  }

  /** Barrier of one lease. Call `leave` on it when the lease is over. */
  enter(tree: JobTree, lease: ExecutionLease): GuaranteedRun {
    const open = this.runs.get(tree) ?? new Set();
    this.runs.set(tree, open);
    const { clock } = this;
    const configuration = () => this.configurations.current(tree.jobName);
    return new GuaranteedRun({ tree, clock, open, configuration }, lease);
  }
}
