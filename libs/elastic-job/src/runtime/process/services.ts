import { publicCalls } from '../../async-context/index.js';
import {
  type Configurations,
  confirmLost,
  type ConfirmLostOutcome,
  type Executions,
  type FailoverQueue,
  type Instances,
  type Leadership,
  type LeadershipTerm,
  type OverflowedItem,
  type PendingFailover,
  type RegisteredInstance,
  type RegisteredServer,
  type RunningItem,
  type Servers,
  type Sharding,
} from '../../coordination/index.js';
import { sharedClass } from '../../copies/index.js';
import type { JobConfiguration, JobName, SettledOutcome } from '../../domain/index.js';
import type { JobSession } from '../job/index.js';

/** Settings of jobs. */
@sharedClass('ConfigurationService')
@publicCalls()
export class ConfigurationService {
  /** @internal */
  constructor(private readonly configurations: Configurations) {}

  /** Settings in force: the registry's or, before the job has joined, the local ones. From memory. */
  current(jobName: JobName): JobConfiguration {
    return this.configurations.current(jobName);
  }

  /** Local settings of a job, from decorator and module; undefined if this process has no such job. */
  declared(jobName: JobName): JobConfiguration | undefined {
    return this.configurations.declared(jobName);
  }
}

/** Leadership of jobs, and work for the leader alone. */
@sharedClass('LeaderService')
@publicCalls()
export class LeaderService {
  /** @internal */
  constructor(private readonly leadership: Leadership) {}

  /** True while this instance holds the current term, as far as the registry has told. */
  isLeader(jobName: JobName): boolean {
    return this.leadership.isLeader(jobName);
  }

  /** The leader's instance id, as far as the registry has told; undefined between two leaders. */
  leader(jobName: JobName): string | undefined {
    return this.leadership.leader(jobName);
  }

  /** This instance's term of the job, if it leads. */
  term(jobName: JobName): LeadershipTerm | undefined {
    return this.leadership.term(jobName);
  }

  /**
   * Iterates over this instance's terms, from the current one on, for work of the leader alone. Ends with `signal`, if
   * given.
   * @example for await (const term of leader.terms('settle-orders')) await publishSummary(term.signal);
   */
  terms(jobName: JobName, signal?: AbortSignal): AsyncIterable<LeadershipTerm> {
    return this.leadership.terms(jobName, signal);
  }

  /** Gives up leadership, if held, and does not stand for a second, so that another instance can take it. */
  resign(jobName: JobName): Promise<void> {
    return this.leadership.resign(jobName);
  }
}

/** Assignment of items to instances. */
@sharedClass('ShardingService')
@publicCalls()
export class ShardingService {
  /** @internal */
  constructor(private readonly sharding: Sharding) {}

  /** Owner (instance id) of each assigned item now. */
  assignments(jobName: JobName): Promise<ReadonlyMap<number, string>> {
    return this.sharding.assignments(jobName);
  }

  /** Asks the leader for a new assignment. It comes with a later event; this call does not wait for it. */
  requestResharding(jobName: JobName): Promise<void> {
    return this.sharding.requestResharding(jobName);
  }
}

/** Items of crashed instances that wait for failover, and a way to run them here and now. */
@sharedClass('FailoverService')
@publicCalls()
export class FailoverService {
  /**
   * @internal
   * @param session returns the job's session; throws if there is none
   */
  constructor(
    private readonly queue: FailoverQueue,
    private readonly session: (jobName: JobName) => JobSession,
  ) {}

  /** Items that wait for failover now, with cause and age. */
  pending(jobName: JobName): Promise<readonly PendingFailover[]> {
    return this.queue.pending(jobName);
  }

  /**
   * Items whose last run was lost because the queue was full. Unless `misfire: false`, the latest due fire time of such
   * an item is still caught up on; the lost one is not.
   */
  overflowed(jobName: JobName): Promise<readonly OverflowedItem[]> {
    return this.queue.overflowed(jobName);
  }

  /**
   * Records an operator's confirmation that the executor of a run is gone for good, when the backend cannot tell
   * (`UNREACHABLE`). The run ends, and with failover the item runs again, without counting for `maxExecutorFailovers`.
   * If the executor still ran, the work would be done twice at once, and only the fencing token would tell the two
   * apart. A run whose handler can be reached is told to stop first.
   */
  confirmLost(jobName: JobName, item: number): Promise<ConfirmLostOutcome> {
    return confirmLost(this.session(jobName).tree, item);
  }

  /**
   * Claims waiting items until none is left for this instance, runs them, and returns the outcome of each. Instances do
   * this by themselves; call it to help without waiting.
   */
  async claim(jobName: JobName): Promise<ReadonlyMap<number, SettledOutcome>> {
    const session = this.session(jobName);
    const runs: Promise<ReadonlyMap<number, SettledOutcome>>[] = [];
    for (let claim = await session.claim(); claim !== 'empty'; claim = await session.claim()) {
      if (claim !== 'lost') runs.push(claim.settled());
    }
    return new Map((await Promise.all(runs)).flatMap((outcomes) => [...outcomes]));
  }
}

/** Running items. */
@sharedClass('ExecutionService')
@publicCalls()
export class ExecutionService {
  /** @internal */
  constructor(private readonly executions: Executions) {}

  /** Items that run now on any instance, ascending. Empty without `monitorExecution`. */
  running(jobName: JobName): Promise<readonly RunningItem[]> {
    return this.executions.running(jobName);
  }
}

/** The processes that take part in a job. */
@sharedClass('InstanceService')
@publicCalls()
export class InstanceService {
  /** @internal */
  constructor(private readonly members: Instances) {}

  /** Registered instances now, in Java's order. */
  instances(jobName: JobName): Promise<readonly RegisteredInstance[]> {
    return this.members.instances(jobName);
  }
}

/** The servers (IP addresses) on which a job has had instances. */
@sharedClass('ServerService')
@publicCalls()
export class ServerService {
  /** @internal */
  constructor(private readonly known: Servers) {}

  /** The servers now, in Java's order. */
  servers(jobName: JobName): Promise<readonly RegisteredServer[]> {
    return this.known.servers(jobName);
  }
}
