import type { ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import { whenAtWork } from './at-work.js';
import { Chance } from './chance.js';
import { OddAnswers } from './odd-answers.js';
import { Operator } from './operator.js';
import { type Disturbance, drawStep } from './plan.js';
import { ProcessCalls } from './process-calls.js';
import type { SimulatedInstance } from './simulated-instance.js';
import { TaskTroubles } from './task-troubles.js';
import type { World } from './world.js';

/** Makes the faults of a plan, and ends them. */
export class Disturbances {
  private isOver = false;
  private readonly operator: Operator;
  private readonly calls: ProcessCalls;
  private readonly oddAnswers: OddAnswers;
  private readonly taskTroubles: TaskTroubles;

  constructor(private readonly world: World) {
    this.operator = new Operator(world, (ms, act) => this.later(ms, act));
    this.calls = new ProcessCalls(world, this.operator, (ms, act) => this.later(ms, act));
    this.oddAnswers = new OddAnswers(world, (ms, act) => this.later(ms, act));
    this.taskTroubles = new TaskTroubles(
      world,
      (ms, act) => this.later(ms, act),
      (victim, ms) => this.pause(victim, ms),
    );
  }

  happen(disturbance: Disturbance): void {
    const { instances, registry } = this.world;
    const living = instances.filter(({ isThere }) => isThere);
    const victim = living[Math.floor(disturbance.who * living.length)];
    if (disturbance.kind === 'upgrade') return this.upgrade();
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
      case 'clock-step':
        return this.step(victim, disturbance);
      case 'stray-mark':
        return this.markByHand(victim, disturbance);
      case 'depose':
        return this.depose(disturbance.what);
      case 'slow-hand-over':
        this.replace(living, victim);
        return this.later(disturbance.what * 400, () =>
          this.cut(victim, disturbance.who < 0.5 ? 'requests' : 'replies', disturbance.ms),
        );
      case 'restart-all':
        return this.restartAll(disturbance.ms, disturbance.what < 0.5);
      case 'odd-answer':
        return this.oddAnswers.begin(victim, disturbance);
      case 'call-remove':
      case 'call-pause':
      case 'call-change':
        return victim.state === 'running' ? this.calls.make(disturbance, victim) : undefined;
      case 'task-dies':
      case 'task-hides':
      case 'fail-request':
      case 'pause-at-request':
        return this.taskTroubles.begin(disturbance, victim);
      default:
        return this.operator.operate(disturbance);
    }
  }

  /** Repairs everything, enables all, and makes sure that an instance is there. */
  end(): void {
    this.isOver = true;
    for (const instance of this.world.instances) {
      instance.resume();
      if (instance.isThere && this.isCorrected(instance)) this.jump(instance, -instance.offsetMs);
      if (instance.isThere) instance.mend();
    }
    this.oddAnswers.end();
    this.world.tasks?.calm();
    this.operator.enableAll();
    this.calls.takeBack();
    if (this.world.plan.jobs.some(({ name }) => this.operator.membersOf(name).length === 0)) this.world.join();
    this.world.note({ kind: 'calm' });
  }

  private fault(fault: string, { index }: SimulatedInstance, lasts = false): void {
    this.world.note({ kind: 'fault', fault, instance: index, lasts });
  }

  /** Acts later, unless everything has been repaired by then. */
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
    whenAtWork(this.world, (atWork) => {
      if (this.isOver || this.world.instances.filter(({ isThere }) => isThere).length < 2) return;
      this.crash(atWork[Math.floor(who * atWork.length)]!);
    });
  }

  private expireRescuer({ ms }: Disturbance): void {
    const isRescue = ({ source }: ShardingContext) => source === 'FAILOVER';
    const { clock } = this.world;
    whenAtWork(
      this.world,
      ([rescuer]) => this.later(ms - (clock.wallNow() % 1_000), () => this.expire(rescuer!)),
      isRescue,
    );
  }

  private expire(victim: SimulatedInstance): void {
    this.onSession(victim, 'expire', (id) => this.world.registry.expire(id));
  }

  private pauseAtWork({ who, ms }: Disturbance): void {
    whenAtWork(this.world, (atWork) => {
      if (this.world.instances.filter(({ state }) => state === 'running').length < 2) return;
      this.pause(atWork[Math.floor(who * atWork.length)]!, ms);
    });
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

  /** Steps the clock for a while, or, at 0 ms, until everything is repaired. */
  private step(victim: SimulatedInstance, { ms, what }: Disturbance): void {
    if (victim.state === 'paused') return;
    const byMs = drawStep(what);
    this.jump(victim, byMs);
    if (ms > 0)
      this.later(ms, () => {
        if (victim.isThere) this.jump(victim, -byMs);
      });
  }

  private markByHand(victim: SimulatedInstance, { ms, what }: Disturbance): void {
    const { jobs } = this.world.plan;
    const { name, shardingTotalCount, after } = jobs[Math.floor(what * jobs.length)]!;
    const { instanceId } = victim;
    // If the instance dies, such a mark is an orphan, and gets a fire time that no parent has given.
    if (victim.state !== 'running' || instanceId === undefined || after !== undefined) return;
    const item = Math.floor(((what * 100) % 1) * shardingTotalCount);
    this.fault('stray mark', victim, true);
    void this.operator.mark(name, item, instanceId);
    this.later(ms, () => this.world.note({ kind: 'healed', fault: 'stray mark', instance: victim.index }));
  }

  // Half of the clocks that are far off in the end stay so, so that their effects are judged, too.
  private isCorrected({ offsetMs, index }: SimulatedInstance): boolean {
    return Math.abs(offsetMs) > 20_000 && new Chance(this.world.plan.seed ^ (0xc0 + index)).is(0.5);
  }

  private onSession(victim: SimulatedInstance, fault: string, act: (id: string) => void): void {
    const id = victim.sessionId;
    if (victim.state !== 'running' || victim.isCut || id === undefined) return;
    this.fault(fault, victim);
    act(id);
  }

  /** Deposes the leader while it plans for a newcomer. */
  private depose(what: number): void {
    const { world } = this;
    world.join();
    this.later(100 + what * 400, () => {
      for (const { name } of world.plan.jobs) this.operator.depose(name);
    });
  }

  /** Gives the items of an instance to another owner. */
  private replace(living: readonly SimulatedInstance[], kept: SimulatedInstance): void {
    const leaver = living.find((instance) => instance !== kept && instance.state === 'running');
    if (living.length < 4 || leaver === undefined) this.world.join();
    else this.leave(leaver);
  }

  /** Replaces the instances of an earlier release. One that stands still is killed. */
  private upgrade(): void {
    this.world.isUpgraded = true;
    for (const instance of this.world.instances) {
      if (!instance.isThere || !instance.isOlder) continue;
      this.world.join();
      if (instance.state === 'running') this.leave(instance);
      else this.crash(instance);
    }
  }

  private restartAll(ms: number, isOrderly: boolean): void {
    const living = this.world.instances.filter(({ isThere }) => isThere);
    for (const instance of living) {
      if (isOrderly && instance.state === 'running') this.leave(instance);
      else this.crash(instance);
    }
    for (const _ of living) this.later(ms + this.world.chance.between(0, 500), () => this.world.join());
  }
}
