import type { Operator } from './operator.js';
import type { Disturbance } from './plan.js';
import type { SimulatedInstance } from './simulated-instance.js';
import type { World } from './world.js';

/** Calls of the processes' own code, through `JobRegistrar`, beside each other and beside all other disturbances. */
export class ProcessCalls {
  /** Functions that take back removals and pauses of processes. */
  private readonly open = new Map<string, () => void>();

  /** @param later acts after so many milliseconds, unless everything has been repaired by then */
  constructor(
    private readonly world: World,
    private readonly operator: Operator,
    private readonly later: (ms: number, act: () => void) => void,
  ) {}

  make({ kind, what, ms }: Disturbance, caller: SimulatedInstance): void {
    const { jobs } = this.world.plan;
    const job = jobs[Math.floor(what * jobs.length)]!;
    const { name } = job;
    const { registrar } = caller.runtime;
    if (kind === 'call-change') {
      const changes = this.operator.nextEdit(job, what, ms);
      void this.call(caller, `edit ${JSON.stringify(changes)}`, name, () => registrar.change(name, changes));
    } else if (kind === 'call-pause') {
      void this.call(caller, 'pause', name, async () => registrar.pause(name));
      this.takeBackLater(
        `pause ${caller.index} ${name}`,
        ms,
        caller,
        () => void this.call(caller, 'resume', name, async () => registrar.resume(name)),
      );
    } else {
      // A job must have been removed before it is added: two removals in a row add it once.
      void this.call(caller, 'remove', name, () => registrar.remove(name));
      this.takeBackLater(`remove ${caller.index} ${name}`, ms, caller, () => this.add(caller, name));
    }
  }

  /** Adds removed jobs, and resumes paused ones. */
  takeBack(): void {
    for (const takeBack of this.open.values()) takeBack();
    this.open.clear();
  }

  private takeBackLater(key: string, ms: number, caller: SimulatedInstance, act: () => void): void {
    if (this.open.has(key)) return;
    const takeBack = () => {
      if (caller.state === 'running') act();
    };
    this.open.set(key, takeBack);
    this.later(ms, () => {
      // A process that stands still calls nothing. It does so when everything is repaired.
      if (caller.state !== 'paused' && this.open.delete(key)) takeBack();
    });
  }

  /** Tries again and again, unless the job is there. */
  private add(caller: SimulatedInstance, jobName: string): void {
    if (caller.state !== 'running' || caller.runtime.registrar.jobs.some((job) => job.jobName === jobName)) return;
    void this.call(caller, 'add', jobName, () => caller.add(jobName)).then(() =>
      this.world.clock.setTimer(1_000, () => this.add(caller, jobName)),
    );
  }

  private call(caller: SimulatedInstance, name: string, jobName: string, act: () => Promise<unknown>): Promise<void> {
    return this.world.command({ name, jobName, instance: caller.index }, act);
  }
}
