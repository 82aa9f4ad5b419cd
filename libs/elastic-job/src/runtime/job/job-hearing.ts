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
  report(work: string, tree: JobTree): (error: unknown) => void;
}

/** Hears the news of one session for the job, before its duties do. */
export class JobHearing implements Hearing {
  private willLook = false;

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
    this.lookSoon();
  }

  InstanceLost({ instanceId }: News<'InstanceLost'>): void {
    if (instanceId === this.tree.self.jobInstanceId) this.job.lookAtMembers(this.tree);
    else this.lookSoon();
  }

  FireTimesMissed({ count }: News<'FireTimesMissed'>): void {
    this.job.countMissed(count);
  }

  ItemOutlivedSession(): void {
    this.job.currentSession?.expectWork();
  }

  private lookSoon(): void {
    if (this.willLook) return;
    this.willLook = true;
    this.lookAtMembers().catch(this.job.report('looking at the members', this.tree));
  }

  // Thousands may come or go in one turn, and are looked at together.
  private async lookAtMembers(): Promise<void> {
    const { clock, signal } = this.tree;
    await clock.nextTurn();
    this.willLook = false;
    if (!signal.aborted) this.job.lookAtMembers(this.tree);
  }
}
