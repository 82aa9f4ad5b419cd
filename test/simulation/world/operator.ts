import { whenAtWork } from './at-work.js';
import { MOST_ITEMS, scheduleEvery } from './draw-job.js';
import { drawRerun } from './draw-rerun.js';
import type { Disturbance, PlannedJob } from './plan.js';
import type { SimulatedInstance } from './simulated-instance.js';
import type { World } from './world.js';

/** Gives the commands of a plan, and enables in the end what it has disabled. */
export class Operator {
  private edits = 0;
  /** Instances that were shut down, by job. */
  private readonly removed = new Set<string>();
  private readonly disabledItems = new Map<string, () => Promise<void>>();
  private readonly disabledServers = new Map<string, () => Promise<void>>();

  /** @param later acts after so many milliseconds, unless everything has been repaired by then */
  constructor(
    private readonly world: World,
    private readonly later: (ms: number, act: () => void) => void,
  ) {}

  operate(disturbance: Disturbance): void {
    const { kind, who, what, ms } = disturbance;
    if (kind === 'cancel') return this.cancel(disturbance);
    if (kind === 'shutdown') return this.shutDown(disturbance);
    if (kind === 'churn') return this.churn(disturbance);
    if (kind === 'rerun') return this.rerun(disturbance);
    const { jobs, jobConfigurations, items, plan } = this.world;
    const job = plan.jobs[Math.floor(what * plan.jobs.length)]!;
    const { name } = job;
    if (kind === 'edit') {
      const changes = this.nextEdit(job, what, ms);
      const isByHand = job.monitorExecution === false && choiceOf(what) === 4;
      void this.command(`edit ${JSON.stringify(changes)}`, name, undefined, () =>
        isByHand
          ? this.world.switchFailoverOn(name, changes.jobParameter)
          : jobConfigurations.updateJobConfiguration(name, changes),
      );
    } else if (kind === 'switch-item') {
      const item = Math.floor(who * job.shardingTotalCount);
      const enable = () => this.command('enable item', name, item, () => items.enable(name, item));
      this.switchOff(this.disabledItems, `${name}/${item}`, ms * 2, enable, () =>
        this.command('disable item', name, item, () => items.disable(name, item)),
      );
    } else if (kind === 'switch-server') {
      const serverIp = `10.0.0.${1 + Math.floor(who * this.world.instances.length)}`;
      const enable = () => this.command(`enable ${serverIp}`, name, undefined, () => jobs.enable(name, { serverIp }));
      this.switchOff(this.disabledServers, `${name}/${serverIp}`, ms * 2, enable, () =>
        this.command(`disable ${serverIp}`, name, undefined, () => jobs.disable(name, { serverIp })),
      );
    } else if (kind === 'resign') {
      void this.command('resign', name, undefined, () => jobs.resign(name));
    } else {
      void this.command('trigger', name, undefined, async () => (await jobs.trigger(name)).id);
    }
  }

  depose(jobName: string): void {
    void this.command('depose', jobName, undefined, () => this.world.depose(jobName));
  }

  mark(jobName: string, item: number, instanceId: string): Promise<void> {
    return this.command('mark', jobName, item, () => this.world.mark(jobName, item, instanceId));
  }

  enableAll(): void {
    for (const enable of [...this.disabledItems.values(), ...this.disabledServers.values()]) void enable();
  }

  /** The processes that have not been taken out of a job. */
  membersOf(jobName: string): readonly SimulatedInstance[] {
    return this.world.instances.filter(({ index, isThere }) => isThere && !this.removed.has(`${jobName} ${index}`));
  }

  private cancel({ who, what }: Disturbance): void {
    whenAtWork(this.world, (atWork) => {
      const work = [...atWork[Math.floor(who * atWork.length)]!.work.keys()];
      const { jobName, shardingItem } = work[Math.floor(what * work.length)]!;
      void this.command('cancel', jobName, shardingItem, async () => {
        const outcome = await this.world.jobs.cancel(jobName, shardingItem);
        return outcome.kind === 'requested' ? outcome.run : undefined;
      });
    });
  }

  private shutDown({ who, what }: Disturbance): void {
    const { jobs, plan } = this.world;
    const { name } = plan.jobs[Math.floor(what * plan.jobs.length)]!;
    const members = this.membersOf(name);
    if (members.length < 2) return;
    const { index } = members[Math.floor(who * members.length)]!;
    this.removed.add(`${name} ${index}`);
    const serverIp = `10.0.0.${index + 1}`;
    void this.command(`shut down ${serverIp}`, name, undefined, () => jobs.shutdown(name, { serverIp }));
  }

  private rerun({ who, what, ms }: Disturbance): void {
    const { clock, jobs, plan } = this.world;
    const job = plan.jobs[Math.floor(what * plan.jobs.length)]!;
    void this.command('rerun', job.name, undefined, async () => {
      const { id } = await jobs.rerun(job.name, drawRerun(who, job, clock.wallNow()));
      const withdraw = () => void this.command('withdraw', job.name, undefined, () => jobs.withdrawRerun(job.name, id));
      if (ms > 0) clock.setTimer(ms, withdraw);
      return id;
    });
  }

  private churn({ who, what, ms }: Disturbance): void {
    const { jobConfigurations, plan } = this.world;
    const { name, shardingTotalCount } = plan.jobs[Math.floor(what * plan.jobs.length)]!;
    const fewer = 1 + Math.floor(who * (shardingTotalCount - 1));
    const edit = (total: number) => {
      this.edits += 1;
      const changes = { jobParameter: `v${this.edits}`, shardingTotalCount: total };
      void this.command(`edit ${JSON.stringify(changes)}`, name, undefined, () =>
        jobConfigurations.updateJobConfiguration(name, changes),
      );
    };
    edit(fewer);
    this.later(ms, () => edit(Math.max(shardingTotalCount, fewer + 1)));
  }

  /** Each edit has a parameter of its own, so that a run shows which edit it uses. */
  nextEdit(job: PlannedJob, what: number, ms: number) {
    this.edits += 1;
    return { jobParameter: `v${this.edits}`, ...this.drawEdit(job, what, ms) };
  }

  private drawEdit({ after, resident }: PlannedJob, what: number, ms: number) {
    const choice = choiceOf(what);
    if ((resident || after !== undefined) && (choice === 1 || choice === 3)) return {};
    if (choice === 0) return { shardingTotalCount: 1 + (ms % MOST_ITEMS) };
    if (choice === 1) return { cron: scheduleEvery([1, 2, 5, 10][ms % 4]!).cron };
    if (choice === 2) return { strategy: ['AVG_ALLOCATION', 'ROUND_ROBIN', 'STICKY'][ms % 3]! };
    if (choice === 3) return { misfire: ms % 2 === 0 };
    return {};
  }

  private switchOff(
    disabled: Map<string, () => Promise<void>>,
    key: string,
    ms: number,
    enable: () => Promise<void>,
    disable: () => Promise<void>,
  ): void {
    if (disabled.has(key)) return;
    disabled.set(key, enable);
    void disable();
    this.later(ms, () => {
      if (disabled.delete(key)) void enable();
    });
  }

  private command(name: string, jobName: string, item: number | undefined, act: () => Promise<unknown>): Promise<void> {
    return this.world.command({ name, jobName, item }, act);
  }
}

/** Kind of an edit. */
function choiceOf(what: number): number {
  return Math.floor(what * 97) % 5;
}
