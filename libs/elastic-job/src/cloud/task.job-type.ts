import {
  type BegunItem,
  ConfigurationError,
  type JobType,
  type SettledOutcome,
  type ShardingContext,
  type TaskLife,
} from '../domain/index.js';
import type { FollowedTaskFacts } from './followed-task.js';
import type { TaskHandle } from './task-backend.js';
import { isLeftAlone } from './task-outcome.decision.js';
import { releaseTask, type TaskScheduling } from './task-scheduling.js';
import { TaskRun } from './task-run.js';

/** Runs each item as a task of a backend: a Cloud job is a Lite job of this type. */
export class TaskJobType implements JobType {
  readonly type = 'TASK';
  readonly tasks: TaskLife;
  private readonly runs = new Set<TaskRun>();
  /** Tasks that have ended, or that this scheduler lets go, by the contexts of their runs. */
  private readonly handles = new WeakMap<ShardingContext, TaskHandle>();

  constructor(private readonly scheduling: TaskScheduling) {
    this.tasks = scheduling.backend.adopts ? 'adoptable' : 'bound';
  }

  /** The tasks that this scheduler follows, in the order of their begins. */
  get running(): readonly FollowedTaskFacts[] {
    return [...this.runs].flatMap(({ running }) => running ?? []);
  }

  findFaults(): readonly string[] {
    return [];
  }

  async execute(context: ShardingContext, begun?: BegunItem): Promise<void> {
    if (begun === undefined || context.token === undefined) {
      throw new ConfigurationError(`job "${context.jobName}"`, ['monitorExecution must be true: a task has a token']);
    }
    const run = new TaskRun(this.scheduling, context, begun, context.token);
    this.runs.add(run);
    try {
      await run.follow();
    } finally {
      this.runs.delete(run);
      if (run.handle !== undefined) this.handles.set(context, run.handle);
    }
  }

  /** Releases the task once its end is in the registry; a task that another scheduler is to follow stays. */
  async settled(context: ShardingContext, outcome: SettledOutcome): Promise<void> {
    const handle = this.handles.get(context);
    if (handle === undefined || outcome.kind === 'fenced' || this.isLeft(context)) return;
    await releaseTask(this.scheduling, handle);
  }

  private isLeft({ signal }: ShardingContext): boolean {
    return signal.aborted && isLeftAlone(signal.reason, this.scheduling.backend.adopts);
  }
}
