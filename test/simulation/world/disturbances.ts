import type { ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import { MOST_ITEMS, scheduleEvery } from './draw-job.js';
import type { Disturbance, PlannedJob } from './plan.js';
import type { SimulatedInstance } from './simulated-instance.js';
import type { World } from './world.js';

/** Makes the faults of a plan, and ends them. */
export class Disturbances {
  private edits = 0;
  private isOver = false;
  /** Who was shut down in which job. */
  private readonly removed = new Set<string>();
  private readonly disabledItems = new Map<string, () => Promise<void>>();
  private readonly disabledServers = new Map<string, () => Promise<void>>();

  constructor(private readonly world: World) {}

  happen(disturbance: Disturbance): void {
    const { instances, registry } = this.world;
    const living = instances.filter(({ isThere }) => isThere);
    const victim = living[Math.floor(disturbance.who * living.length)];
    if (disturbance.kind === 'join') return living.length < 5 ? this.world.join() : undefined;
    if (victim === undefined) return this.world.join();
    const isLast = living.length === 1;
    switch (disturbance.kind) {
      case 'crash':
        if (isLast) return;
        return disturbance.what < 0.5 ? this.crash(victim) : this.crashAtWork(disturbance);
      case 'leave':
        return isLast || victim.state === 'paused' ? undefined : this.leave(victim);
      case 'pause':
        return this.pause(victim, disturbance.ms);
      case 'pause-at-work':
        return this.pauseAtWork(disturbance);
      case 'crash-at-work':
        return this.crashAtWork(disturbance);
      case 'expire-rescuer':
        return this.expireRescuer(disturbance);
      case 'shutdown':
        return this.shutDown(disturbance);
      case 'cancel':
        return this.cancel(disturbance);
      case 'partition':
        return this.cut(victim, 'both', disturbance.ms);
      case 'cut-requests':
        return this.cut(victim, 'requests', disturbance.ms);
      case 'cut-replies':
        return this.cut(victim, 'replies', disturbance.ms);
      case 'late-news':
        return this.cut(victim, 'replies', Math.min(disturbance.ms, 2_000));
      case 'lose-reply':
        return this.onSession(victim, 'lose-reply', (id) => registry.loseNextReply(id));
      case 'expire':
        return this.expire(victim);
      case 'clock-jump':
        return this.jump(victim, Math.round((disturbance.what - 0.5) * 20_000));
      case 'depose':
        return this.depose(disturbance.what);
      case 'slow-hand-over':
        this.replace(living, victim);
        return this.later(disturbance.what * 400, () =>
          this.cut(victim, disturbance.who < 0.5 ? 'requests' : 'replies', disturbance.ms),
        );
      case 'restart-all':
        return this.restartAll(disturbance.ms, disturbance.what < 0.5);
      default:
        return this.operate(disturbance);
    }
  }

  /** Everything is repaired, everybody is enabled, and somebody is there. */
  end(): void {
    this.isOver = true;
    for (const instance of this.world.instances) {
      instance.resume();
      if (instance.isThere) instance.mend();
    }
    for (const enable of [...this.disabledItems.values(), ...this.disabledServers.values()]) void enable();
    if (this.world.plan.jobs.some(({ name }) => this.membersOf(name).length === 0)) this.world.join();
    this.world.note({ kind: 'calm' });
  }

  private fault(fault: string, { index }: SimulatedInstance, lasts = false): void {
    this.world.note({ kind: 'fault', fault, instance: index, lasts });
  }

  /** Unless everything has been repaired by then. */
  private later(ms: number, act: () => void): void {
    this.world.clock.setTimer(ms, () => {
      if (!this.isOver) act();
    });
  }

  private crash(victim: SimulatedInstance): void {
    this.fault('crash', victim);
    victim.crash();
  }

  private leave(victim: SimulatedInstance): void {
    this.fault('leave', victim);
    void victim.leave();
  }

  private pause(victim: SimulatedInstance, ms: number): void {
    if (victim.state !== 'running' || this.isOver) return;
    this.fault('pause', victim, true);
    victim.pause();
    this.later(ms, () => {
      victim.resume();
      this.world.note({ kind: 'healed', fault: 'pause', instance: victim.index });
    });
  }

  private crashAtWork({ who }: Disturbance): void {
    this.whenAtWork((atWork) => {
      if (this.isOver || this.world.instances.filter(({ isThere }) => isThere).length < 2) return;
      this.crash(atWork[Math.floor(who * atWork.length)]!);
    });
  }

  private expireRescuer({ ms }: Disturbance): void {
    const isRescue = ({ source }: ShardingContext) => source === 'FAILOVER';
    const { clock } = this.world;
    this.whenAtWork(([rescuer]) => this.later(ms - (clock.wallNow() % 1_000), () => this.expire(rescuer!)), isRescue);
  }

  private expire(victim: SimulatedInstance): void {
    this.onSession(victim, 'expire', (id) => this.world.registry.expire(id));
  }

  private pauseAtWork({ who, ms }: Disturbance): void {
    this.whenAtWork((atWork) => {
      if (this.world.instances.filter(({ state }) => state === 'running').length < 2) return;
      this.pause(atWork[Math.floor(who * atWork.length)]!, ms);
    });
  }

  private cancel({ who, what }: Disturbance): void {
    this.whenAtWork((atWork) => {
      const work = [...atWork[Math.floor(who * atWork.length)]!.work];
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

  private membersOf(jobName: string): readonly SimulatedInstance[] {
    return this.world.instances.filter(({ index, isThere }) => isThere && !this.removed.has(`${jobName} ${index}`));
  }

  /** Waits for a while for those whose handlers are in the middle of something of that kind. */
  private whenAtWork(
    act: (atWork: readonly SimulatedInstance[]) => void,
    isMeant: (context: ShardingContext) => boolean = () => true,
    triesLeft = 100,
  ): void {
    const isAtWork = ({ state, work }: SimulatedInstance) => state === 'running' && [...work].some(isMeant);
    const atWork = this.world.instances.filter(isAtWork);
    if (atWork.length > 0) act(atWork);
    else if (triesLeft > 0) this.world.clock.setTimer(50, () => this.whenAtWork(act, isMeant, triesLeft - 1));
  }

  private cut(victim: SimulatedInstance, how: 'both' | 'requests' | 'replies', ms: number): void {
    if (victim.state !== 'running' || !victim.cut(how)) return;
    this.fault(`cut ${how}`, victim, true);
    this.later(ms, () => {
      if (victim.isThere) victim.mend();
      this.world.note({ kind: 'healed', fault: `cut ${how}`, instance: victim.index });
    });
  }

  private jump(victim: SimulatedInstance, ms: number): void {
    this.fault(`clock jumps by ${ms}`, victim);
    victim.jump(ms);
  }

  private onSession(victim: SimulatedInstance, fault: string, act: (id: string) => void): void {
    const { id, state } = victim.center.session;
    if (
      victim.state !== 'running' ||
      victim.isCut ||
      id === undefined ||
      (state !== 'CONNECTED' && state !== 'RECONNECTED')
    )
      return;
    this.fault(fault, victim);
    act(id);
  }

  /** While the leader plans for a newcomer. */
  private depose(what: number): void {
    const { world } = this;
    world.join();
    this.later(100 + what * 400, () => {
      for (const { name } of world.plan.jobs) void this.command('depose', name, undefined, () => world.depose(name));
    });
  }

  /** Somebody's items get another owner. */
  private replace(living: readonly SimulatedInstance[], kept: SimulatedInstance): void {
    const leaver = living.find((instance) => instance !== kept && instance.state === 'running');
    if (living.length < 4 || leaver === undefined) this.world.join();
    else this.leave(leaver);
  }

  private restartAll(ms: number, isOrderly: boolean): void {
    const living = this.world.instances.filter(({ isThere }) => isThere);
    for (const instance of living) {
      if (isOrderly && instance.state === 'running') this.leave(instance);
      else this.crash(instance);
    }
    for (const _ of living) this.later(ms + this.world.chance.between(0, 500), () => this.world.join());
  }

  private operate({ kind, who, what, ms }: Disturbance): void {
    const { jobs, jobConfigurations, items, plan } = this.world;
    const job = plan.jobs[Math.floor(what * plan.jobs.length)]!;
    const { name } = job;
    if (kind === 'edit') {
      this.edits += 1;
      const changes = { jobParameter: `v${this.edits}`, ...this.drawEdit(job, what, ms) };
      void this.command(`edit ${JSON.stringify(changes)}`, name, undefined, () =>
        jobConfigurations.updateJobConfiguration(name, changes),
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
    } else {
      void this.command('trigger', name, undefined, async () => (await jobs.trigger(name)).id);
    }
  }

  private drawEdit({ resident }: PlannedJob, what: number, ms: number) {
    const choice = Math.floor(what * 97) % 5;
    if (resident && (choice === 1 || choice === 3)) return {};
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

  private async command(name: string, jobName: string, item: number | undefined, act: () => Promise<unknown>) {
    const { note } = this.world;
    note({ kind: 'operation', name, jobName, item, outcome: 'asked' });
    try {
      const id = await act();
      note({ kind: 'operation', name, jobName, item, id: typeof id === 'string' ? id : undefined, outcome: 'done' });
    } catch {
      note({ kind: 'operation', name, jobName, item, outcome: 'failed' });
    }
  }
}
