// Covered by test/scenario/after.spec.ts
import type { Duty } from '../duties/index.js';
import { type JobContext, type LeaseRunner, SessionReaction } from '../leases/index.js';
import type { Tick } from './tick.js';

/**
 * The starts of a job that has no schedule of its own: each is begun as it appears, one after the other. What came
 * before this session is owed, like a fire time that was missed.
 * @see CatchUp
 */
export class DependencyStarts implements Duty {
  private readonly begins: SessionReaction;
  private handled = Infinity;

  constructor(
    private readonly context: JobContext,
    private readonly tick: Pick<Tick, 'begin'>,
    private readonly leases: Pick<LeaseRunner, 'start'>,
  ) {
    this.begins = new SessionReaction(context, 'starting after other jobs', () => this.beginNew());
  }

  StartsChanged(): void {
    this.begins.wake();
  }

  TreeReset(): void {
    this.begins.wake();
  }

  /** What comes from now on is begun here. */
  open(): void {
    this.handled = this.fireTimes.at(-1) ?? -Infinity;
  }

  /** Begins nothing more. */
  stop(): void {
    this.begins.stop();
  }

  private async beginNew(): Promise<void> {
    for (const fireTime of this.fireTimes.filter((start) => start > this.handled)) {
      await this.begin(fireTime);
      this.handled = fireTime;
    }
  }

  /** As a tick, but what was begun is not waited for. */
  private async begin(fireTime: number): Promise<void> {
    const { schedule, settings } = this.context;
    // The settings may have changed, and what is left of the former ones goes with the leader's next look.
    const isStartedAfter = settings.configuration.after.length > 0;
    if (!isStartedAfter || schedule.excluded === undefined) return;
    const lease = await this.tick.begin(fireTime);
    if (lease !== undefined) this.leases.start(lease, 'a start');
  }

  private get fireTimes(): readonly number[] {
    return this.context.tree.startLedger()?.starts.map(({ fireTime }) => fireTime) ?? [];
  }
}
