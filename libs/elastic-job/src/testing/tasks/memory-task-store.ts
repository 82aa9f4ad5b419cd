import { aClock, type Clock } from '../../clock/index.js';
import { launchOf, placeOf, type TaskKey, type TaskTarget } from '../../cloud/index.js';
import { flag, number, type OptionRow, OptionTable, rule } from '../../domain/index.js';
import type { MemoryTaskEvent, MemoryTaskScript } from './memory-task-script.js';
import { MemoryTask, type MemoryTaskWorld } from './memory-task.js';
import { TaskHolds, type TaskRequest } from './task-holds.js';

/** Options of a cluster of tasks in memory. */
export interface MemoryTaskClusterOptions {
  /** Clock of the tasks; each scheduler has its own. */
  readonly clock: Clock;
  /** Program of tasks whose job has no script of its own. @default they succeed at once */
  readonly script?: MemoryTaskScript;
  /** True if tasks outlive their scheduler, and others can claim them. @default true */
  readonly adopts?: boolean;
  /** @default true */
  readonly hasLink?: boolean;
  /** In milliseconds. @default 0 */
  readonly leastIntervalMs?: number;
  /** How long each request and each state takes, in milliseconds. @default 0 */
  readonly delayMs?: (what: TaskRequest | 'state') => number;
  /** Called for each effect on a task, whether or not a scheduler gets the answer. @default ignored */
  readonly onEvent?: (event: MemoryTaskEvent) => void;
}

const OF = 'MemoryTaskCluster';
const aFunction = rule('a function', (value) => typeof value === 'function');
const TABLE = new OptionTable(
  {
    clock: { required: true, rule: aClock },
    script: {
      rule: rule('a function, or a list of steps', (value) => Array.isArray(value) || typeof value === 'function'),
    },
    adopts: { rule: flag() },
    hasLink: { rule: flag() },
    leastIntervalMs: { rule: number(0) },
    delayMs: { rule: aFunction },
    onEvent: { rule: aFunction },
  } satisfies Readonly<Record<keyof MemoryTaskClusterOptions, OptionRow>>,
  OF,
);

/** A task that has begun its work. */
export interface MemoryTaskLaunch {
  readonly key: TaskKey;
  readonly target: TaskTarget;
  readonly run: string;
  readonly token: bigint;
  readonly uid: string;
  /** On the monotonic clock of the cluster, in milliseconds. */
  readonly at: number;
}

/** Record of one place. */
interface PlaceRecord {
  /** The text of each launch. */
  readonly launches: Set<string>;
  latest: MemoryTask[];
}

/** The existing tasks, the holds of requests, and the record of what has begun. */
export class MemoryTaskStore {
  readonly places = new Map<string, MemoryTask>();
  readonly holds = new TaskHolds();
  readonly scripts = new Map<string, MemoryTaskScript>();
  readonly settings: Required<MemoryTaskClusterOptions>;
  readonly launches: MemoryTaskLaunch[] = [];
  readonly violations: string[] = [];
  readonly world: MemoryTaskWorld;
  private isFull = false;
  /** Open tasks that wait for room, in the order of their opening. */
  private readonly waiting: MemoryTask[] = [];
  private readonly records = new Map<string, PlaceRecord>();

  constructor(options: MemoryTaskClusterOptions) {
    const { clock, adopts = true, hasLink = true, leastIntervalMs = 0, ...functions } = TABLE.checked(OF, options);
    const { script = () => Promise.resolve(), delayMs = () => 0, onEvent = () => {} } = functions;
    this.settings = { clock, adopts, hasLink, leastIntervalMs, script, delayMs, onEvent };
    this.world = {
      clock,
      adopts,
      hasLink,
      script: (jobName) => this.scripts.get(jobName) ?? this.settings.script,
      hasRoom: (task) => {
        if (this.isFull) this.waiting.push(task);
        return !this.isFull;
      },
      began: (task) => this.note(task),
      emit: onEvent,
    };
  }

  /** Lets tasks that are opened from now on wait, or lets them begin together with those that have waited. */
  setRoom(hasRoom: boolean): void {
    this.isFull = !hasRoom;
    if (hasRoom) for (const task of this.waiting.splice(0)) task.begin();
  }

  /** True while a task of the key does something, in the store or outside of it. */
  isAlive(key: TaskKey): boolean {
    return this.records.get(placeOf(key))?.latest.some((task) => task.isAlive) ?? false;
  }

  private note(task: MemoryTask): void {
    const { order, uid } = task;
    const { key, target } = order;
    const what = `Item ${key.item} of job "${key.jobName}"`;
    const record = this.recordOf(key);
    const launch = launchOf(target);
    const living = record.latest.filter(({ isAlive }) => isAlive);
    if (living.length > 0) this.violations.push(`${what}: two tasks do something at once.`);
    if (record.launches.has(launch)) {
      this.violations.push(`${what}: launch ${target.launch} of ${target.origin} at ${target.fireTime} began twice.`);
    }
    record.launches.add(launch);
    record.latest = [...living, task];
    const { run, token } = task.holder;
    this.launches.push({ key, target, run, token, uid, at: this.settings.clock.monotonicNow() });
  }

  private recordOf(key: TaskKey): PlaceRecord {
    const place = placeOf(key);
    const record = this.records.get(place) ?? { launches: new Set(), latest: [] };
    this.records.set(place, record);
    return record;
  }
}
