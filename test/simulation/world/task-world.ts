import type { TaskBackend, TaskHandle, TaskState, TaskStateName } from '../../../libs/elastic-job/src/cloud/index.js';
import {
  MemoryTaskCluster,
  type MemoryTaskEvent,
  type MemoryTaskScript,
  type MemoryTasks,
  type TaskHold,
  type TaskHoldOptions,
  type TaskRequest,
  type VirtualClock,
} from '../../../libs/elastic-job/src/testing/index.js';
import type { Fact } from '../log.js';
import { Chance } from './chance.js';
import type { Disturbance, Plan, PlannedJob } from './plan.js';
import type { PlannedTasks } from './task-plan.js';

const REQUESTS: readonly TaskRequest[] = ['claim', 'claim', 'open', 'open', 'watch', 'cancel', 'release', 'release'];
/** Limit of the age of tasks that were launched after everything has settled, in milliseconds. */
const OLDEST_MS = 20_000;
/** Ends of a task, from within or from outside. */
const DEATHS: readonly TaskState[] = [
  ...(['FAILED', 'ERROR', 'LOST', 'DROPPED', 'GONE', 'UNKNOWN'] as const).map((name) => ({ name })),
  { name: 'KILLED', killer: 'other' },
];

interface TaskWorldParts {
  readonly plan: Plan;
  readonly tasks: PlannedTasks;
  readonly clock: VirtualClock;
  readonly log: (fact: Fact) => void;
  /** A mutant's change of the backend. */
  readonly through: (backend: TaskBackend) => TaskBackend;
}

/** The machines on which the tasks of one history run, with their faults. */
export class TaskWorld {
  private readonly cluster: MemoryTaskCluster;
  private readonly chance: Chance;
  private readonly latencies: Chance;
  private readonly standing = new Map<string, { readonly handle: TaskHandle; readonly since: number }>();
  private readonly alive = new Map<string, TaskHandle>();
  private readonly holds = new Set<TaskHold>();
  private readonly hidden = new Set<TaskHandle>();
  private isCalm = false;

  constructor(private readonly parts: TaskWorldParts) {
    const { clock, plan, tasks } = parts;
    this.chance = new Chance(plan.seed ^ 0x7a5c1);
    this.latencies = new Chance(plan.seed ^ 0x7a5c2);
    this.cluster = new MemoryTaskCluster({
      clock,
      adopts: tasks.adopts,
      delayMs: () => this.drawDelay(),
      onEvent: (event) => this.hear(event),
    });
  }

  /** A backend for a scheduler: the real one, and the one that its jobs see. */
  backend(index: number): { readonly own: MemoryTasks; readonly seen: TaskBackend } {
    const own = this.cluster.backend(schedulerOf(index));
    return { own, seen: this.parts.through(own) };
  }

  /** True if there is a task that must have been launched before everything settled, by its age. */
  get hasLeft(): boolean {
    const oldest = this.parts.clock.wallNow() - OLDEST_MS;
    return [...this.standing.values()].some(({ since }) => since < oldest);
  }

  get graceMs(): number {
    return this.parts.tasks.graceMs;
  }

  /** Ends a running task from outside. @returns false if none runs */
  kill({ who, what }: Disturbance): boolean {
    const task = pick([...this.alive.values()], who);
    if (task === undefined) return false;
    const state = pick(DEATHS, what)!;
    this.cluster.end(task.key, { ...state, name: endOf(state), detail: 'something else has ended it' });
    return true;
  }

  /** Makes a task unreachable. @returns the task; undefined: none runs */
  hide({ who }: Disturbance): TaskHandle | undefined {
    const task = pick([...this.alive.values()], who);
    if (task === undefined || this.hidden.has(task)) return undefined;
    this.hidden.add(task);
    this.cluster.unreachable(task.key);
    return task;
  }

  /** Ends a task that is unreachable. @returns false if it is gone already, with its place */
  endHidden(task: TaskHandle): boolean {
    if (!this.hidden.has(task) || !this.standing.has(task.uid)) return false;
    this.cluster.endUnseen(task.key, { name: 'GONE', detail: 'its machine was lost' });
    return true;
  }

  show(task: TaskHandle): void {
    if (!this.hidden.delete(task) || this.standing.get(task.uid) === undefined) return;
    this.cluster.reachable(task.key);
    this.parts.log({ kind: 'healed', fault: 'task unreachable', instance: -1 });
  }

  /** Makes the next request of its kind fail without an answer. */
  failRequest({ who, what }: Disturbance, happened: (request: string) => void): void {
    const [request, at] = [pick(REQUESTS, who)!, what < 0.5 ? 'before' : 'after'] as const;
    void this.hold(request, { at }, (held) => {
      happened(`${request}, ${at}`);
      held.fail();
    });
  }

  /**
   * Makes the scheduler's next request of some kind stand still. @param reached called when it does, until this is over
   */
  holdRequest(index: number, { what }: Disturbance, reached: (request: string, goOn: () => void) => void): void {
    const choice = what * 2;
    const [request, at] = [pick(REQUESTS, choice % 1)!, choice < 1 ? 'before' : 'after'] as const;
    void this.hold(request, { at, scheduler: schedulerOf(index) }, (held) =>
      reached(`${request}, ${at}`, () => held.goOn()),
    );
  }

  /** Makes everything reachable, and holds nothing. */
  calm(): void {
    this.isCalm = true;
    for (const task of this.hidden) this.show(task);
    for (const held of this.holds) held.goOn();
  }

  /** Ends tasks that schedulers have left behind, because no other scheduler comes for them. */
  end(): void {
    for (const { handle } of this.standing.values()) this.cluster.end(handle.key, { name: 'GONE', detail: 'the end' });
  }

  /** @param act called once a request stands there; the request goes on when everything is repaired */
  private async hold(request: TaskRequest, options: TaskHoldOptions, act: (held: TaskHold) => void): Promise<void> {
    const held = this.cluster.holdNext(request, options);
    this.holds.add(held);
    await held.reached;
    if (this.isCalm) held.goOn();
    else act(held);
  }

  private hear(event: MemoryTaskEvent): void {
    const { handle, kind } = event;
    const { key, run, target, token, uid } = handle;
    // A mutant adds to the name.
    const jobName = key.jobName.split('@')[0]!;
    const state = kind === 'ended' ? event.state : undefined;
    this.parts.log({
      kind: 'task',
      what: kind,
      jobName,
      item: key.item,
      ...target,
      uid,
      run,
      token,
      ...(state && { state: state.name, killer: state.killer, outcome: state.report?.outcome }),
    });
    if (kind === 'launched') this.standing.set(uid, { handle, since: this.parts.clock.wallNow() });
    if (kind === 'released') this.standing.delete(uid);
    if (kind === 'ended') this.alive.delete(uid);
    if (kind !== 'opened') return;
    this.alive.set(uid, handle);
    this.cluster.script(key.jobName, this.drawScript(this.parts.plan.jobs.find(({ name }) => name === jobName)!));
  }

  /**
   * Draws a task that is quick or slow, obedient or deaf, and fails or dies now and then. After everything has settled,
   * it ends well.
   */
  private drawScript({ misfirePolicy, periodMs }: PlannedJob): MemoryTaskScript {
    const { chance } = this;
    const parts = misfirePolicy === 'all' ? [0, 0.1, 0.3] : [0, 0.1, 0.3, 0.8, 1.6];
    const ms = Math.round(chance.pick(this.isCalm ? [0, 0.1, 0.3] : parts) * periodMs);
    const [dies, queues, isDeaf, fails] = [chance.is(0.3), chance.is(0.2), chance.is(0.15), chance.is(0.1)];
    const death = chance.pick(DEATHS);
    if (queues || (dies && !this.isCalm)) {
      const report = { v: 1, outcome: 'succeeded', ms } as const;
      const end = dies && !this.isCalm ? death : ({ name: 'FINISHED', report } as const);
      const waits = queues ? [{ state: { name: 'QUEUED' }, ms: Math.round(ms / 2) } as const] : [];
      return [...waits, { state: { name: 'RUNNING' }, ms }, { state: end }];
    }
    return async ({ clock, signal }) => {
      await clock.sleep(ms, isDeaf ? undefined : signal);
      if (fails) throw new Error('the handler fails');
    };
  }

  private drawDelay(): number {
    const { latencyMs, latestMs } = this.parts.tasks;
    const { latencies } = this;
    const most = !this.isCalm && latencies.is(0.1) ? latestMs : latencyMs;
    return Math.round(latencies.next() * most);
  }
}

/** The name of an instance's scheduler in holds. */
function schedulerOf(index: number): string {
  return `s${index}`;
}

function endOf({ name }: TaskState): Exclude<TaskStateName, 'STAGING' | 'QUEUED' | 'RUNNING' | 'UNREACHABLE'> {
  if (name === 'STAGING' || name === 'QUEUED' || name === 'RUNNING' || name === 'UNREACHABLE')
    throw new TypeError(`${name} is no end.`);
  return name;
}

function pick<T>(choices: readonly T[], where: number): T | undefined {
  return choices[Math.floor(where * choices.length)];
}
