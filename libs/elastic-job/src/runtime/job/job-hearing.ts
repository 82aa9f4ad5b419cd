import type { JobTree } from '../../coordination/index.js';
import type { JobSettings, News, ScheduleClock } from '../leases/index.js';
import type { JobSession, SessionJob } from '../session/index.js';
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
export class JobHearing implements SessionJob {
  private willLook = false;

  constructor(
    private readonly job: HearingJob,
    private readonly tree: JobTree,
    private readonly scheduleClock: ScheduleClock,
  ) {}

  clockReported(): void {
    void this.scheduleClock.hearOthers();
  }

  rootChanged(): void {
    this.job.definition.onRootChanged?.();
  }

  treeReset(): void {
    this.job.definition.onRootChanged?.();
    this.job.reload(this.tree);
  }

  configurationChanged(): void {
    this.job.reload(this.tree);
  }

  configurationKept(): void {
    if (!this.job.settings.isSound) this.job.reload(this.tree);
  }

  instanceJoined(): void {
    this.lookSoon();
  }

  instanceLost({ instanceId }: News<'InstanceLost'>): void {
    if (instanceId === this.tree.self.jobInstanceId) this.job.lookAtMembers(this.tree);
    else this.lookSoon();
  }

  fireTimesMissed({ count }: News<'FireTimesMissed'>): void {
    this.job.countMissed(count);
  }

  itemOutlivedSession(): void {
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
