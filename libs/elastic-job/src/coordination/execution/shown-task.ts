import { formatRunningTask, type JobName, type RunningTask } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { JobPaths } from '../job-tree/index.js';

/**
 * The task of one run of an item, as operators see it.
 *
 * State: `sharding/{item}/task`, ephemeral: it goes with the session of the scheduler that follows the task.
 *
 * Guarantees: none but that nothing is decided by it and nobody waits for it. A reader compares its `run` with the
 * item's record, so that what a former scheduler has left shows nothing. A session's requests are applied in their
 * order: the removal, which is asked for before the settle, is over before another run of the item can begin.
 *
 * Failures: a text that is not written is left out, and the next state is written anew.
 */
export class ShownTask {
  private readonly path: string;
  private unwritten: string | undefined;
  private isWriting = false;
  private isBegun = false;
  private isOver = false;

  constructor(
    private readonly registry: RegistryCenter,
    jobName: JobName,
    item: number,
  ) {
    this.path = new JobPaths(jobName).mark(item, 'task');
  }

  /** While one text is being written the latest of the next ones waits. */
  show(task: RunningTask): void {
    if (this.isOver) return;
    this.unwritten = formatRunningTask(task);
    if (!this.isWriting) void this.write();
  }

  /** Call it before the run is settled. */
  hide(): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.isBegun) this.registry.delete(this.path).catch(() => {}); // It goes with the session at the latest.
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    let isMade = false;
    while (this.unwritten !== undefined && !this.isOver) {
      const text = this.unwritten;
      this.unwritten = undefined;
      isMade = await this.put(text, isMade).catch(() => false);
    }
    this.isWriting = false;
  }

  private async put(data: string, isMade: boolean): Promise<boolean> {
    const { path, registry } = this;
    this.isBegun = true;
    if (isMade) return registry.set(path, data).then(() => true);
    const creation = { kind: 'create', path, data, mode: 'EPHEMERAL' } as const;
    const made = await registry.transaction([creation]);
    if (made.kind === 'committed' || this.isOver) return true;
    // A node that stands there would go with the session of another one, or was written without an answer.
    const renewed = await registry.transaction([{ kind: 'delete', path }, creation]);
    return renewed.kind === 'committed';
  }
}
