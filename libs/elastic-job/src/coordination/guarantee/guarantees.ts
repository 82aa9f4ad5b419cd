/**
 * Where all items of a run wait for each other: once all have begun, and once all have ended.
 *
 * State: `guarantee/{phase}/{item}` says that an item has arrived. Java asks for its existence only; ours hold who came
 * and for which round, a round being the run of a whole job for one target. `guarantee` itself holds the last round of
 * each phase that is over. Whoever calls the listener holds Curator's latch `guarantee/{phase}-latch`, as Java does.
 *
 * Guarantees: the listener is called by one instance, when every item that can arrive has; then the arrivals are
 * removed and the round is over in one transaction, and everybody goes on. What is left of a crashed instance counts
 * for nothing. A round is begun on an instance only when the one before it is over there, so two rounds of one job
 * never overlap.
 *
 * Failures: an item whose instance dies is waited for if somebody will take it over, and no longer if nobody will. If
 * the instance that came last dies before it has called the listener, the one before it does. Every wait ends with its
 * time limit or with its lease; then the own arrivals are withdrawn.
 */
import type { Clock } from '../../clock/index.js';
import type { GuaranteePhase, JobName } from '../../domain/index.js';
import type { Configurations } from '../configuration/index.js';
import type { ExecutionLease } from '../execution/index.js';
import { type JobTree, type JobTrees, untilCommitted } from '../job-tree/index.js';
import { removeArrivals } from './guarantee-operations.js';
import { GuaranteedRun, type OpenRun } from './guaranteed-run.js';

/** The barriers of jobs with distribute-once listeners. */
export class Guarantees {
  private readonly runs = new WeakMap<JobTree, Set<OpenRun>>();

  constructor(
    private readonly trees: JobTrees,
    private readonly configurations: Configurations,
    private readonly clock: Clock,
  ) {}

  /** The items that have arrived at a phase, ascending, as of now. */
  async arrived(jobName: JobName, phase: GuaranteePhase): Promise<readonly number[]> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    return tree.arrived(phase);
  }

  /** Lets everybody go who waits at a phase, as if the listener had been called. */
  async clear(jobName: JobName, phase: GuaranteePhase): Promise<void> {
    const tree = this.trees.of(jobName);
    await tree.sync();
    await untilCommitted(tree, `clearing what has ${phase}`, async () => {
      const operations = removeArrivals(tree, phase, () => true);
      if (operations.length === 0) return true;
      await tree.commit(operations);
      return undefined;
    });
  }

  /** The barrier of one lease; `leave` it when the lease is over. */
  enter(tree: JobTree, lease: ExecutionLease): GuaranteedRun {
    const open = this.runs.get(tree) ?? new Set();
    this.runs.set(tree, open);
    const { clock } = this;
    const configuration = () => this.configurations.current(tree.jobName);
    return new GuaranteedRun({ tree, clock, open, configuration }, lease);
  }
}
