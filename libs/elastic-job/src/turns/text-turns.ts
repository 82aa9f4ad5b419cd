import type { Clock } from '../clock/index.js';

/** Characters that one turn may read. A text of the longest kind takes some milliseconds. */
const READ_IN_ONE_TURN = 50_000;

/** Spreads the reading of texts that others write over turns of the event loop. */
export class TextTurns {
  private left = READ_IN_ONE_TURN;

  constructor(private readonly clock: Pick<Clock, 'nextTurn'>) {}

  /** Waits for the next turn if this one has no room for a further text. @param length in characters */
  async admit(length: number): Promise<void> {
    this.left -= length;
    if (this.left >= 0) return;
    await this.clock.nextTurn();
    this.left = READ_IN_ONE_TURN - length;
  }
}
