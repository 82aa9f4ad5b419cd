import type { Clock } from '../../clock/index.js';
import type { JobTree, JobTreeEvent } from '../../coordination/index.js';
import { type Reaction, registryReaction } from '../leases/index.js';

/** What a job that is started after others needs of its session. */
export interface DependencyStartParts {
  readonly tree: JobTree;
  readonly clock: Clock;
  /** Begins a fire time. */
  begin(fireTime: number): Promise<void>;
  /** Tells what has failed. */
  report(work: string): (error: unknown) => void;
}

/**
 * The starts of a job that has no schedule of its own: each is begun as it appears, one after the other. What came
 * before this session is owed, like a fire time that was missed.
 * @see CatchUp
 */
export class DependencyStarts {
  private readonly begins: Reaction;
  private handled = Infinity;

  constructor(private readonly parts: DependencyStartParts) {
    const { tree, clock } = parts;
    this.begins = registryReaction(tree, clock, () => this.beginNew(), parts.report('starting after other jobs'));
  }

  /** What comes from now on is begun here. */
  open(): void {
    this.handled = this.fireTimes.at(-1) ?? -Infinity;
  }

  hear({ kind }: JobTreeEvent): void {
    if (kind === 'StartsChanged' || kind === 'TreeReset') this.begins.wake();
  }

  /** Begins nothing more. */
  stop(): void {
    this.begins.stop();
  }

  private async beginNew(): Promise<void> {
    for (const fireTime of this.fireTimes.filter((start) => start > this.handled)) {
      await this.parts.begin(fireTime);
      this.handled = fireTime;
    }
  }

  private get fireTimes(): readonly number[] {
    return this.parts.tree.startLedger()?.starts.map(({ fireTime }) => fireTime) ?? [];
  }
}
