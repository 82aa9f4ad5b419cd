import type { JobTree } from '../../coordination/index.js';
import { type JobSchedule, type JobSettings } from '../settings/index.js';
import type { Leases } from '../runs/index.js';
import { JobDuty, type Report } from '../news/index.js';
import type { Tick } from './tick.js';

/**
 * Begins the starts of a job without a schedule of its own, one after the other, as they appear. Starts from before
 * this session are owed, like missed fire times.
 * @see CatchUp
 */
export class DependencyStarts extends JobDuty {
  private handled = Infinity;

  constructor(
    tree: JobTree,
    private readonly settings: JobSettings,
    private readonly schedule: Pick<JobSchedule, 'excluded'>,
    report: Report,
    private readonly tick: Pick<Tick, 'begin'>,
    private readonly leases: Pick<Leases, 'start'>,
  ) {
    super(tree, report, 'starting after other jobs');
  }

  startsChanged(): void {
    this.wake();
  }

  treeReset(): void {
    this.wake();
  }

  /** Begins the starts that come from now on. */
  open(): void {
    this.handled = this.fireTimes.at(-1) ?? -Infinity;
  }

  protected async work(): Promise<void> {
    for (const fireTime of this.fireTimes.filter((start) => start > this.handled)) {
      await this.begin(fireTime);
      this.handled = fireTime;
    }
  }

  /** Like a tick, but without waiting for the run. */
  private async begin(fireTime: number): Promise<void> {
    const { schedule, settings } = this;
    // The settings may have changed. Leftovers of the former ones are removed at the leader's next look.
    const isStartedAfter = settings.configuration.after.length > 0;
    if (!isStartedAfter || schedule.excluded === undefined) return;
    const lease = await this.tick.begin(fireTime);
    if (lease !== undefined) this.leases.start(lease, 'a start');
  }

  private get fireTimes(): readonly number[] {
    return this.tree.startLedger()?.starts.map(({ fireTime }) => fireTime) ?? [];
  }
}
