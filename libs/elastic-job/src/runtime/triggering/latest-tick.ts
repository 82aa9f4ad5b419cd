/**
 * Fire times of a job whose begins wait for their turns: one is begun at a time, and of those that come meanwhile only
 * the latest follows. The begin that passes the others by tells them as missed, or catches up on them, as
 * `misfirePolicy` says.
 */
export class LatestTick {
  private isBeginning = false;
  private next: (() => void) | undefined;

  /**
   * @param begin resolves when the fire time is begun
   * @param later tells the fire time again, once the present one is begun
   * @returns undefined if it is put off
   */
  async begin<T>(begin: () => T | Promise<T>, later: () => void): Promise<T | undefined> {
    if (this.isBeginning) {
      this.next = later;
      return undefined;
    }
    this.isBeginning = true;
    try {
      return await begin();
    } finally {
      this.isBeginning = false;
      const { next } = this;
      this.next = undefined;
      next?.();
    }
  }
}
