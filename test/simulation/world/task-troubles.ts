import type { Disturbance } from './plan.js';
import type { SimulatedInstance } from './simulated-instance.js';
import type { World } from './world.js';

/** The troubles of tasks, of their machines and of requests to the machines. */
export class TaskTroubles {
  /**
   * @param later acts after so many milliseconds, unless everything has been repaired by then
   * @param pause makes a process stand still for so many milliseconds
   */
  constructor(
    private readonly world: World,
    private readonly later: (ms: number, act: () => void) => void,
    private readonly pause: (victim: SimulatedInstance, ms: number) => void,
  ) {}

  begin(disturbance: Disturbance, victim: SimulatedInstance): void {
    const { tasks } = this.world;
    if (tasks === undefined) return;
    switch (disturbance.kind) {
      case 'task-dies':
        return this.whenOneRuns(() => tasks.kill(disturbance));
      case 'task-hides':
        return this.whenOneRuns(() => this.hide(disturbance));
      case 'fail-request':
        return tasks.failRequest(disturbance, (request) => this.fault(`request fails: ${request}`, victim));
      default:
        return tasks.holdRequest(victim.index, disturbance, (request, goOn) => {
          if (victim.state === 'running') {
            this.fault(`stands still at ${request}`, victim);
            this.pause(victim, disturbance.ms);
          }
          goOn();
        });
    }
  }

  /** Hides a task for a while, or until it is gone and an operator says so. */
  private hide(disturbance: Disturbance): boolean {
    const { tasks, instances } = this.world;
    const task = tasks?.hide(disturbance);
    if (task === undefined) return false;
    this.world.note({ kind: 'fault', fault: 'task unreachable', instance: -1, lasts: false });
    const { jobName, item } = task.key;
    this.later(disturbance.ms, () => {
      const witness = instances.find(({ state }) => state === 'running');
      if (disturbance.what < 0.5 && witness !== undefined && tasks?.endHidden(task))
        void this.world.command({ name: 'confirm lost', jobName, item }, async () => {
          const outcome = await witness.runtime.failover.confirmLost(jobName, item);
          return outcome.kind === 'requested' ? outcome.run : undefined;
        });
      else tasks?.show(task);
    });
    return true;
  }

  private whenOneRuns(act: () => boolean, triesLeft = 60): void {
    if (act() || triesLeft === 0) return;
    this.later(100, () => this.whenOneRuns(act, triesLeft - 1));
  }

  private fault(fault: string, { index }: SimulatedInstance): void {
    this.world.note({ kind: 'fault', fault, instance: index, lasts: false });
  }
}
