import type { JobTree } from '../../coordination/index.js';
import type { News } from '../duties/index.js';
import type { Hearing, JobSettings, ScheduleClock } from '../leases/index.js';
import type { JobSession } from '../session/index.js';
import type { JobDefinition } from './job-definition.js';

/** Reactions of a job to news. */
interface HearingJob {
  readonly definition: JobDefinition;
  readonly settings: JobSettings;
  readonly currentSession: JobSession | undefined;
  /** Members have come or gone. */
  lookAtMembers(tree: JobTree): void;
  /** The settings have changed, or may have. */
  reload(tree: JobTree): void;
  /** Counts fire times, times items, that will never be begun. */
  countMissed(runs: number): void;
}

/** Hears the news of one session for the job, before its duties do. */
export class JobHearing implements Hearing {
  constructor(
    private readonly job: HearingJob,
    private readonly tree: JobTree,
    private readonly scheduleClock: ScheduleClock,
  ) {}

  ClockReported(): void {
    void this.scheduleClock.hearOthers();
  }

  RootChanged(): void {
    this.job.definition.onRootChanged?.();
  }

  TreeReset(): void {
    this.job.definition.onRootChanged?.();
    this.job.reload(this.tree);
  }

  ConfigurationChanged(): void {
    this.job.reload(this.tree);
  }

  ConfigurationKept(): void {
    if (!this.job.settings.isSound) this.job.reload(this.tree);
  }

  InstanceJoined(): void {
    this.job.lookAtMembers(this.tree);
  }

  InstanceLost(): void {
    this.job.lookAtMembers(this.tree);
  }

  FireTimesMissed({ count }: News<'FireTimesMissed'>): void {
    this.job.countMissed(count);
  }

  ItemOutlivedSession(): void {
    this.job.currentSession?.expectWork();
  }
}
