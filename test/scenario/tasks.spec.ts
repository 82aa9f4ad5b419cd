import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type BegunItem,
  ExecutorDeathError,
  type ExecutorDeathState,
  HandedOverError,
  type JobOptions,
  type JobType,
  type SettledOutcome,
  type ShardingContext,
  type TaskLife,
} from '../../libs/elastic-job/src/domain/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;
const WORK_MS = 40_000;

/** One task of an item, which goes on whatever happens to its schedulers. */
interface Task {
  readonly key: string;
  readonly launch: number;
  readonly endsAt: number;
  death?: ExecutorDeathState;
  isKilled?: boolean;
}

/** A backend that runs tasks on a machine of its own. A task whose name exists already is adopted. */
class TaskMachine {
  readonly launched: Task[] = [];
  readonly settled: string[] = [];
  readonly overlaps: string[] = [];
  readonly tasks = new Map<string, Task>();

  constructor(private readonly cluster: () => TestCluster) {}

  typeFor(instance: number, tasks: TaskLife): JobType {
    return {
      type: 'TASK',
      tasks,
      findFaults: () => [],
      execute: (context, begun) => this.follow(instance, context, begun!),
      settled: (context, outcome) => this.release(context, outcome),
    };
  }

  kill(item: number, death: ExecutorDeathState): void {
    for (const [key, task] of this.tasks) if (key.startsWith(`${item}:`)) task.death = death;
  }

  private async follow(instance: number, context: ShardingContext, { launch, target }: BegunItem): Promise<void> {
    const { clock } = this.cluster().instances[instance]!;
    const now = () => this.cluster().clock.wallNow();
    const key = `${context.shardingItem}:${target.fireTime}:${launch}`;
    const task = this.tasks.get(key) ?? { key, launch, endsAt: now() + WORK_MS };
    if (!this.tasks.has(key)) this.launch(task, now());
    try {
      while (now() < task.endsAt && task.death === undefined) {
        await clock.sleep(100, context.signal);
      }
    } catch {
      const { reason } = context.signal;
      if (!(reason instanceof HandedOverError)) task.isKilled = true;
      return;
    }
    if (task.death !== undefined) throw new ExecutorDeathError(task.death, 'as the spec says');
  }

  private launch(task: Task, now: number): void {
    const [item] = task.key.split(':', 1);
    const isLive = ({ death, endsAt, isKilled, key }: Task) =>
      key.startsWith(`${item}:`) && death === undefined && isKilled !== true && endsAt > now;
    if ([...this.tasks.values()].some(isLive)) this.overlaps.push(task.key);
    this.launched.push(task);
    this.tasks.set(task.key, task);
  }

  private release({ shardingItem, fireTime }: ShardingContext, outcome: SettledOutcome): void {
    this.settled.push(`${shardingItem}:${outcome.kind}`);
    for (const key of this.tasks.keys()) {
      const isOver = outcome.kind === 'succeeded' || outcome.kind === 'failed';
      if (isOver && key.startsWith(`${shardingItem}:${fireTime.getTime()}:`)) this.tasks.delete(key);
    }
  }
}

let cluster: TestCluster;
let machine: TaskMachine;
beforeEach(() => (machine = new TaskMachine(() => cluster)));
afterEach(() => cluster.stop());

async function start(instances: number, options: Partial<JobOptions> = {}, tasks: TaskLife = 'adoptable') {
  cluster = await createTestCluster({ instances, jobs: [] });
  for (let index = 0; index < instances; index += 1) await addTo(index, options, tasks);
  await cluster.advance(5_000);
}

async function addTo(index: number, options: Partial<JobOptions> = {}, tasks: TaskLife = 'adoptable'): Promise<void> {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, misfire: false, ...options };
  const { registrar } = cluster.instances[index]!.runtime;
  await cluster.clock.advanceUntil(registrar.add(job, machine.typeFor(index, tasks)));
}

/** Moves a little past the next fire time. */
async function fire(): Promise<void> {
  await cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + 1_000);
}

function ownerOf(item: number): number {
  return cluster.assignment(JOB).get(item)!;
}

function eventsOf(kind: string): readonly unknown[] {
  return cluster.instances.flatMap((_, index) => cluster.events(index).filter((event) => event.kind === kind));
}

describe('a task that outlives its scheduler', () => {
  it.each([false, true])(
    'is adopted by another and launched once if its scheduler crashes (failover: %s)',
    async (failover) => {
      await start(2, { failover });
      await fire();
      cluster.crash(ownerOf(0));

      await cluster.advance(MINUTE - 10_000);

      expect(machine.launched).toHaveLength(2);
      expect(machine.launched.every(({ isKilled }) => isKilled !== true)).toBe(true);
      expect(machine.overlaps).toEqual([]);
      expect(machine.settled.toSorted()).toEqual(['0:succeeded', '1:succeeded']);
    },
  );

  it('is adopted by others at once if its instance leaves', async () => {
    await start(2);
    await fire();
    const leaving = ownerOf(0);
    const before = cluster.clock.wallNow();

    await cluster.leave(leaving);

    expect(cluster.clock.wallNow() - before).toBeLessThan(2_000);
    await cluster.advance(WORK_MS);
    expect(machine.launched).toHaveLength(2);
    expect(machine.launched.some(({ isKilled }) => isKilled)).toBe(false);
    expect(machine.settled).toContain('0:aborted');
    expect(machine.settled.filter((settled) => settled.endsWith('succeeded')).toSorted()).toEqual([
      '0:succeeded',
      '1:succeeded',
    ]);
  });

  it('is handed over within seconds to a new instance that gets its item', async () => {
    await start(1);
    await fire();
    await cluster.join();
    await addTo(1);
    await cluster.advance(3_000);

    const moved = [0, 1].find((item) => ownerOf(item) === 1)!;
    expect(machine.settled).toEqual([`${moved}:aborted`]);
    expect(cluster.events(1).filter(({ kind }) => kind === 'claimed')).toMatchObject([{ items: [moved] }]);
    await cluster.advance(WORK_MS);
    expect(machine.launched).toHaveLength(2);
    expect(machine.overlaps).toEqual([]);
    expect(machine.settled.filter((settled) => settled.endsWith('succeeded'))).toHaveLength(2);
  });
});

describe('the launches of a target', () => {
  it("count the launch but not the death if the death was nobody's fault", async () => {
    await start(1, { failover: true, maxExecutorFailovers: 0 });
    await fire();
    machine.kill(0, 'DROPPED');
    await cluster.advance(1_000);

    expect(machine.launched.map(({ launch }) => launch)).toEqual([1, 1, 2]);
    machine.kill(0, 'FAILED');
    await cluster.advance(1_000);
    expect(machine.launched).toHaveLength(3);
    expect(eventsOf('executor-died')).toMatchObject([
      { state: 'DROPPED', requeue: 'queue' },
      { state: 'FAILED', requeue: 'exhausted' },
    ]);
  });

  it('launch a bound task again after a crash of its scheduler only with failover', async () => {
    await start(2, { failover: true }, 'bound');
    await fire();
    cluster.crash(ownerOf(0));
    await cluster.advance(15_000);
    expect(machine.launched.map(({ launch }) => launch).toSorted((a, b) => a - b)).toEqual([1, 1, 2]);
  });
});

describe('a task that cannot be reached', () => {
  it('runs its item again at once when an operator confirms the loss', async () => {
    await start(2, { failover: true });
    await fire();
    machine.kill(0, 'UNREACHABLE');
    await cluster.advance(20_000);
    expect(machine.launched).toHaveLength(2);
    const { failover } = cluster.instances[1 - ownerOf(0)]!.runtime;

    const answer = await cluster.clock.advanceUntil(failover.confirmLost(JOB, 0));
    await cluster.advance(1_000);

    expect(answer).toMatchObject({ kind: 'requested' });
    expect(machine.launched.map(({ launch }) => launch)).toEqual([1, 1, 2]);
    expect(eventsOf('executor-died').at(-1)).toMatchObject({ state: 'UNREACHABLE', requeue: 'hold' });
  });

  it('refuses a job that keeps no records, and says why', async () => {
    cluster = await createTestCluster({ instances: 1, jobs: [] });
    await expect(addTo(0, { monitorExecution: false })).rejects.toThrow('monitorExecution must be true');
  });

  it('answers an operator who confirms a loss that nothing runs', async () => {
    await start(1);
    const { failover } = cluster.instances[0]!.runtime;
    expect(await cluster.clock.advanceUntil(failover.confirmLost(JOB, 0))).toEqual({ kind: 'not-running' });
  });
});
