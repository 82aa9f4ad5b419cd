import type { JobTree } from '../../coordination/index.js';
import type { News } from '../news/index.js';
import type { ScheduleClock } from '../time/index.js';
import type { JobDeparture } from './job-departure.js';
import type { JobEntry } from './job-entry.js';
import type { JobPresence } from './job-presence.js';
import type { SessionJob } from './session-news.js';

/** Receives the news of one session for the job, before its duties do. */
export class JobNewsReceiver implements SessionJob {
  private willLook = false;

  constructor(
    private readonly tree: JobTree,
    private readonly scheduleClock: ScheduleClock,
    private readonly entry: JobEntry,
    private readonly departure: JobDeparture,
    private readonly presence: JobPresence,
  ) {}

  clockReported(): void {
    void this.scheduleClock.othersReported();
  }

  rootChanged(): void {
    this.entry.notifyRoot();
  }

  treeReset(): void {
    this.entry.notifyRoot();
    this.reload();
  }

  configurationChanged(): void {
    this.reload();
  }

  configurationKept(): void {
    if (!this.entry.isSound) this.reload();
  }

  instanceJoined(): void {
    this.lookSoon();
  }

  instanceLost({ instanceId }: News<'InstanceLost'>): void {
    if (instanceId === this.tree.self.jobInstanceId) this.lookAtMembers();
    else this.lookSoon();
  }

  fireTimesMissed({ count }: News<'FireTimesMissed'>): void {
    this.presence.noteMissed(count);
  }

  itemOutlivedSession(): void {
    this.presence.session?.expectWork();
  }

  /** Enters the job, unless its settings are unusable. */
  async enter(): Promise<void> {
    // An operator may have removed the instance before it learned of its registration.
    if ((await this.entry.enter()) === 'removed') void this.departure.obeyRemoval(this.tree.self.jobInstanceId);
  }

  /** Follows the settings, and looks at what follows from them. */
  private reload(): void {
    this.entry.follow(this.tree);
    this.lookAtMembers();
  }

  /** Leaves the job if its own instance was removed; else looks for peers, and enters if it has waited to. */
  private lookAtMembers(): void {
    const { departure, entry, presence, tree } = this;
    const { jobInstanceId } = tree.self;
    if (presence.mode.kind === 'registered' && !tree.hasInstance(jobInstanceId)) {
      return void departure.obeyRemoval(jobInstanceId);
    }
    entry.checkPeers(tree);
    if (presence.session?.tree === tree) this.enter().catch(presence.report('joining the job', tree));
  }

  private lookSoon(): void {
    if (this.willLook) return;
    this.willLook = true;
    this.lookNextTurn().catch(this.presence.report('looking at the members', this.tree));
  }

  // Thousands may come or go in one turn, and are looked at together.
  private async lookNextTurn(): Promise<void> {
    const { clock, signal } = this.tree;
    await clock.nextTurn();
    this.willLook = false;
    if (!signal.aborted) this.lookAtMembers();
  }
}
