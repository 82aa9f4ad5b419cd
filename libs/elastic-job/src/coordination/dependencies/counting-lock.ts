import type { Clock } from '../../clock/index.js';
import type { Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** Longest time that others stand back for one holder, in milliseconds. */
const LONGEST_HOLD_MS = 2_000;

/**
 * Advisory lock by which one instance of a job counts alone. A count is a compare-and-set: an instance that reads and
 * writes more slowly than the others would be refused as long as they have something to count. So it creates an
 * ephemeral node, and the others stand back until it has counted. It may be paused, so they do not wait for ever;
 * nothing but time depends on the lock.
 */
export class CountingLock {
  private isMine = false;
  /** The present holder has been waited for long enough. */
  private isOutwaited = false;

  constructor(
    private readonly tree: JobTree,
    private readonly clock: Clock,
  ) {
    tree.on(({ kind }) => {
      if (kind === 'CountingLockReleased') this.isOutwaited = false;
    });
  }

  /** Resolves when nobody else holds the lock, or has held it for too long. */
  async standBack(): Promise<void> {
    const { clock, tree } = this;
    const deadline = clock.monotonicNow() + LONGEST_HOLD_MS;
    while (tree.has(tree.paths.countingLock) && !this.isMine && !this.isOutwaited) {
      this.isOutwaited = !(await tree.next(['CountingLockReleased', 'TreeReset'], deadline));
    }
  }

  /** Takes the lock, unless somebody else holds it. */
  async take(): Promise<void> {
    const { paths, self } = this.tree;
    if (this.isMine || this.tree.has(paths.countingLock)) return;
    this.isMine = true; // Also if the answer is lost: that it is not will be an answer to its release.
    const taken = await this.tree.commit([
      { kind: 'create', path: paths.countingLock, data: self.jobInstanceId, mode: 'EPHEMERAL' },
    ]);
    this.isMine = taken.kind === 'committed';
  }

  /** What releases it, in the transaction of the count. */
  get operations(): readonly Operation[] {
    return this.isMine ? [{ kind: 'delete', path: this.tree.paths.countingLock }] : [];
  }

  /** It has been released, or is not there. */
  end(): void {
    this.isMine = false;
  }
}
