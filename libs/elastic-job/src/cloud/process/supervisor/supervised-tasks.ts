import type { Timer } from '../../../clock/index.js';
import { leftOfGrant } from '../../task-channel.js';
import { ProcessTable } from '../process-table.js';
import { SILENT, type StartOrder, type SupervisorOrder, type TaskEnding } from './supervisor-messages.js';
import { SupervisedTask, type Supervision } from './supervised-task.js';

/** Rounds of killing. A process that forks while it is killed leaves a child. */
const KILL_ROUNDS = 3;
const KILLED = 'it was killed by its scheduler';

/** All tasks of one scheduler, each from its start until no process of it is left. */
export class SupervisedTasks {
  private readonly tasks = new Map<string, SupervisedTask>();
  private memoryPoll: Timer | undefined;

  /** @param memoryPollMs milliseconds */
  constructor(
    private readonly supervision: Supervision,
    private readonly memoryPollMs: number,
  ) {}

  take(order: SupervisorOrder): void {
    if (order.kind === 'start') return this.start(order);
    const task = this.tasks.get(order.id);
    switch (order.kind) {
      case 'hold':
        return task?.hold(order);
      case 'tell':
        return task?.forward(order.line);
      case 'end':
        return task?.end(order.cause, order.detail, order.graceMs);
      case 'kill':
        return task?.kill('cancel', KILLED);
      case 'heard':
        return task?.resume();
      case 'tail': {
        const text = task?.tail(order.bytes) ?? null;
        return this.supervision.report({ kind: 'tail', question: order.question, text });
      }
      default:
        return order satisfies never;
    }
  }

  /** Kills everything, and resolves once it is gone. */
  async killAll(): Promise<void> {
    const tasks = [...this.tasks.values()];
    for (let round = 0; round < KILL_ROUNDS && tasks.length > 0; round += 1) {
      const table = new ProcessTable();
      for (const task of tasks) task.kill('cancel', KILLED, table);
    }
    this.memoryPoll?.cancel();
    await Promise.all(tasks.map((task) => task.gone));
  }

  private start(order: StartOrder): void {
    const { id } = order;
    // The scheduler stood still as it sent this, and the item may be another one's.
    if (leftOfGrant(order) === 0) return this.refuseAsLost(id);
    const task = new SupervisedTask(order, this.supervision);
    this.tasks.set(id, task);
    void task.gone.then(() => this.tasks.delete(id));
    this.memoryPoll ??= this.pollMemory();
  }

  private refuseAsLost(id: string): void {
    const ending: TaskEnding = { code: null, signal: null, output: '', ms: 0, cause: 'lost', detail: SILENT };
    this.supervision.report({ kind: 'ended', id, ending });
  }

  private pollMemory(): Timer {
    return this.supervision.clock.setTimer(this.memoryPollMs, () => {
      this.memoryPoll = undefined;
      if (this.tasks.size === 0) return;
      const table = new ProcessTable();
      for (const task of this.tasks.values()) task.checkMemory(table);
      this.memoryPoll = this.pollMemory();
    });
  }
}
