import { type Clock, Deadline } from '../../clock/index.js';
import type { Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** Longest time for which others stand back for one holder, in milliseconds. */
const LONGEST_HOLD_MS = 2_000;

/**
 * Advisory lock by which one instance of a job counts alone. A count is a compare-and-set, so an instance that is
 * slower than the others would be refused as long as they have something to count. It therefore creates an ephemeral
 * node, and the others stand back until it has counted. As it may be paused, they do not wait for ever; the lock
 * affects timing only.
 */
export class CountingLock {
  private isMine = false;
  /** True once the present holder was waited for long enough. */
  private isOutwaited = false;

  constructor(
    private readonly tree: JobTree,
    private readonly clock: Clock,
  ) {
    tree.on(({ kind }) => {
      if (kind === 'CountingLockReleased') this.isOutwaited = false;
    });
  }

  /** Resolves when no other instance holds the lock, or one has held it for too long. */
  async standBack(): Promise<void> {
    const { clock, tree } = this;
    const isFree = () => !tree.has(tree.paths.countingLock) || this.isMine || this.isOutwaited;
    const deadline = Deadline.after(clock, LONGEST_HOLD_MS);
    if (!(await tree.until(isFree, ['CountingLockReleased', 'TreeReset'], deadline))) this.isOutwaited = true;
  }

  /** Takes the lock, unless another instance holds it. */
  async take(): Promise<void> {
    const { paths, self } = this.tree;
    if (this.isMine || this.tree.has(paths.countingLock)) return;
    this.isMine = true; // Set even if the answer is lost: if it is not ours, its release will be refused.
    const taken = await this.tree.commit([
      { kind: 'create', path: paths.countingLock, data: self.jobInstanceId, mode: 'EPHEMERAL' },
    ]);
    this.isMine = taken.kind === 'committed';
  }

  /** Releases the lock, in the transaction of the count. */
  get operations(): readonly Operation[] {
    return this.isMine ? [{ kind: 'delete', path: this.tree.paths.countingLock }] : [];
  }

  /** Notes that the lock was released, or does not exist. */
  end(): void {
    this.isMine = false;
  }
}
