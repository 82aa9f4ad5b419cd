import type { Timer } from '../../clock/index.js';
import type { CoordinationServices, JobTree } from '../../coordination/index.js';
import { JobReconciler, type News, type Report } from '../news/index.js';
import { type ScheduleClock } from '../time/index.js';

/** Milliseconds after the deletion of a node. Who deletes a whole job is not disturbed by nodes that come back. */
const LAY_AGAIN_MS = 1_000;

/**
 * Keeps the nodes of a job that somebody may delete by hand: those that each job has, and this instance's server and
 * session. Every instance does so, since a job without them has no leader.
 */
export class KeptNodes {
  private readonly server: JobReconciler;
  /** Undefined until a node was lost, as in most jobs. */
  private others: JobReconciler | undefined;
  private waiting: Timer | undefined;
  private isStopped = false;

  constructor(
    private readonly tree: JobTree,
    private readonly services: Pick<CoordinationServices, 'configurations' | 'instances' | 'servers'>,
    private readonly scheduleClock: ScheduleClock,
    private readonly report: Report,
  ) {
    this.server = new JobReconciler(tree, report, 'keeping the server node', () => services.servers.keep(tree));
  }

  serverChanged({ serverIp }: News<'ServerChanged'>): void {
    if (serverIp === this.tree.self.serverIp) this.server.wake();
  }

  nodeLost(): void {
    this.layAgainSoon();
  }

  sessionEnded({ instanceId }: News<'SessionEnded'>): void {
    if (instanceId === this.tree.self.jobInstanceId) this.layAgainSoon();
  }

  configurationChanged(): void {
    const { tree } = this;
    if (!tree.has(tree.paths.config)) this.layAgainSoon();
  }

  treeReset(): void {
    this.server.wake();
    this.layAgainSoon();
  }

  start(): void {
    this.server.wake();
  }

  stop(): void {
    this.isStopped = true;
    this.waiting?.cancel();
    this.server.stop();
    this.others?.stop();
  }

  private layAgainSoon(): void {
    if (this.isStopped) return;
    this.waiting ??= this.tree.clock.setTimer(LAY_AGAIN_MS, () => {
      this.waiting = undefined;
      const { report, tree } = this;
      this.others ??= new JobReconciler(tree, report, "keeping the job's nodes", () => this.layAgain());
      this.others.wake();
    });
  }

  private async layAgain(): Promise<void> {
    const { scheduleClock, services, tree } = this;
    await services.configurations.layAgain(tree);
    await services.instances.keepSession(tree, scheduleClock.offsetMs);
  }
}
