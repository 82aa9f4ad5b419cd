import type { JobTree } from '../../coordination/index.js';
import type { JobSchedule, JobSettings } from '../settings/index.js';
import type { JobSession } from './job-session.js';
import type { JobDefinition } from '../settings/index.js';
import type { MixedJob } from '../settings/index.js';

/** Lets a job follow its settings and its peers, as its tree shows them. */
export class SettingsFollower {
  constructor(
    private readonly definition: JobDefinition,
    private readonly settings: JobSettings,
    private readonly schedule: JobSchedule,
    private readonly mixed: MixedJob,
  ) {}

  /** True if the present `config` node is in force. */
  get isSound(): boolean {
    return this.settings.isSound;
  }

  /** Follows settings that have changed, or may have. */
  follow(tree: JobTree, session: JobSession | undefined): void {
    this.tellConfiguration(tree);
    this.reload(tree, session);
  }

  tellConfiguration(tree: JobTree): void {
    this.definition.onConfigurationChanged?.(tree.node(tree.paths.config)?.data);
  }

  tellRoot(): void {
    this.definition.onRootChanged?.();
  }

  checkPeers(tree: JobTree, session: JobSession | undefined): void {
    if (!this.mixed.tellPeers(tree)) return;
    // Beside Java, fire times at clock changes follow Quartz's rule.
    this.reload(tree, session);
    // Fire times that came while the job was mixed were for the peers to run.
    if (tree.company.runsUnrecorded) session?.leaveToPeers();
    else this.schedule.excludePast();
  }

  private reload(tree: JobTree, session: JobSession | undefined): void {
    const wasUsable = this.settings.problem === undefined;
    this.settings.apply(tree);
    this.schedule.follow();
    if (!wasUsable && this.schedule.isStarted) session?.expectWork();
  }
}
