import type { Clock } from '../clock/index.js';

/**
 * One request for all that want to see what was committed until now. It leaves at the end of the turn in which the
 * first of them asks; those that ask after it has left share the next one.
 */
export class SharedSync {
  private next: Promise<void> | undefined;

  /** @param send sends a sync at once; when it resolves, all that was committed before has been heard */
  constructor(
    private readonly send: () => Promise<void>,
    private readonly clock: Clock,
  ) {}

  /** @throws what `send` throws */
  sync(): Promise<void> {
    this.next ??= this.sendNext();
    return this.next;
  }

  private async sendNext(): Promise<void> {
    await this.clock.nextTurn();
    this.next = undefined;
    await this.send();
  }
}
