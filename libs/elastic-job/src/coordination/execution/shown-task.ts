import { formatRunningTask, type JobName, type RunningTask } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { JobPaths } from '../job-tree/index.js';

/**
 * The task of one item's run, as operators see it.
 *
 * State: `sharding/{item}/task`, ephemeral, so that it goes with the session of the scheduler that follows the task.
 *
 * Guarantees: none, except that no decision depends on it and nothing waits for it. A reader compares its `run` with
 * the item's record, so a leftover of a former scheduler shows nothing. Requests of a session are applied in order, so
 * the removal, which is sent before the settle, is done before another run of the item can begin.
 *
 * Failures: a failed write is skipped, and the next state is written anew.
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

  /** Shows a state. While one is being written, only the latest of the next ones waits. */
  show(task: RunningTask): void {
    this.unwritten = formatRunningTask(task);
    if (!this.isWriting) void this.write();
  }

  /** Call this before the run is settled. */
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
      isMade = await this.put(text, isMade);
    }
    this.isWriting = false;
  }

  /** @returns true if the node is known to be this session's */
  private async put(text: string, isMade: boolean): Promise<boolean> {
    this.isBegun = true;
    try {
      return isMade ? await this.registry.set(this.path, text).then(() => true) : await this.make(text);
    } catch {
      return false; // The next state is written anew.
    }
  }

  private async make(data: string): Promise<boolean> {
    const { path, registry } = this;
    const own = { path, data, mode: 'EPHEMERAL' } as const;
    const made = await registry.transaction([{ kind: 'create', ...own }]);
    if (made.kind === 'committed' || this.isOver) return true;
    // An existing node would go with another session, or was written by this one without an answer.
    const renewed = await registry.transaction([{ kind: 'renew', ...own }]);
    return renewed.kind === 'committed';
  }
}
