// Covered by test/scenario/refused-requests.spec.ts
import type { Clock } from '../../clock/index.js';
import { type JobTree, untilDone } from '../../coordination/index.js';

/**
 * Work that events wake. It runs once at a time; a wake during a run makes it run once more, so what the last event
 * told is never overlooked and a thousand events cost two runs.
 */
export class Reaction {
  private run: Promise<void> | undefined;
  private isWoken = false;
  private isStopped = false;

  /** @param work must look at the state of things, not at events. Its errors go to `onError`, which must not throw. */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  wake(): void {
    if (this.isStopped) return;
    this.isWoken = true;
    this.run ??= this.runWhileWoken();
  }

  /** Wakes it, and resolves when that wake has been worked off. */
  async wakeAndWait(): Promise<void> {
    this.wake();
    await this.run;
  }

  /** Nothing starts any more; what runs may end. */
  stop(): void {
    this.isStopped = true;
    this.isWoken = false;
  }

  private async runWhileWoken(): Promise<void> {
    while (this.isWoken) {
      this.isWoken = false;
      try {
        await this.work();
      } catch (error) {
        this.onError(error);
      }
    }
    this.run = undefined;
  }
}

/**
 * A reaction whose work asks the registry: unanswered, it begins anew as soon as the registry answers again, and after
 * a pause if the registry refuses it, which is told once.
 */
export function registryReaction(
  tree: JobTree,
  clock: Clock,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): Reaction {
  return new Reaction(() => untilDone(tree, clock, work, onError), onError);
}
