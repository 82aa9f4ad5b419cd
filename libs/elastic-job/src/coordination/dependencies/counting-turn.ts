import type { Clock } from '../../clock/index.js';
import type { Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** Longest time that others stand back for one turn, in milliseconds. */
const LONGEST_TURN_MS = 2_000;

/**
 * Lets one instance of a job count alone. A count is a compare-and-set: who reads and writes more slowly than the
 * others would be refused as long as they have something to count. So it creates an ephemeral node, and the others
 * stand back until it has counted. It may be paused, so they do not wait for ever; nothing but time depends on a turn.
 */
export class CountingTurn {
  private isMine = false;
  /** The one that somebody has now has been waited for long enough. */
  private isOutwaited = false;

  constructor(
    private readonly tree: JobTree,
    private readonly clock: Clock,
  ) {
    tree.on(({ kind }) => {
      if (kind === 'CountingTurnEnded') this.isOutwaited = false;
    });
  }

  /** Resolves when nobody else has the turn, or has had it for too long. */
  async standBack(): Promise<void> {
    const { clock, tree } = this;
    const deadline = clock.monotonicNow() + LONGEST_TURN_MS;
    while (tree.has(tree.paths.countingTurn) && !this.isMine && !this.isOutwaited) {
      this.isOutwaited = !(await tree.next(['CountingTurnEnded', 'TreeReset'], deadline));
    }
  }

  /** Takes it, unless somebody else has it. */
  async take(): Promise<void> {
    const { paths, self } = this.tree;
    if (this.isMine || this.tree.has(paths.countingTurn)) return;
    this.isMine = true; // Also if the answer is lost: that it is not will be an answer to giving it back.
    const taken = await this.tree.commit([
      { kind: 'create', path: paths.countingTurn, data: self.jobInstanceId, mode: 'EPHEMERAL' },
    ]);
    this.isMine = taken.kind === 'committed';
  }

  /** What gives it back, in the transaction of the count. */
  get operations(): readonly Operation[] {
    return this.isMine ? [{ kind: 'delete', path: this.tree.paths.countingTurn }] : [];
  }

  /** It has been given back, or is not there. */
  end(): void {
    this.isMine = false;
  }
}
