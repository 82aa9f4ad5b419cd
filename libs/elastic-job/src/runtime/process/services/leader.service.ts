import { publicCalls } from '../../../async-context/index.js';
import type { Leadership, LeadershipTerm } from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobName } from '../../../domain/index.js';

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
