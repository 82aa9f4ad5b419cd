import { setTimeout as sleep } from 'node:timers/promises';

const BEAT_MS = 100;
const BEATS = 10;
const STALL_MS = 300;

/**
 * Notices when the processor, or an answer, comes late to this process. Java's scheduler leaves out the fire times that
 * come while a run of the job is under way, so a second that is lost anywhere is a missed second.
 */
export class Pulse {
  /** Sum of all stalls, in milliseconds. */
  stalledMs = 0;
  readonly #stopped = new AbortController();
  #from = Date.now();
  #beats = 0;

  /**
   * @param onStall called with the wall times between which 300 ms or more were lost
   * @param ask resolves with an answer from a dependency of the peers, such as the registry
   */
  constructor(
    private readonly onStall: (from: number, to: number) => void = () => {},
    private readonly ask: () => Promise<unknown> = () => Promise.resolve(),
  ) {
    // Asking fails while the registry stops, and this is not reported.
    void this.#run().catch(() => {});
  }

  stop(): void {
    this.#stopped.abort();
    this.#look();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await sleep(BEAT_MS, undefined, { signal, ref: false });
      await this.ask();
      this.#beats += 1;
      if (this.#beats === BEATS) this.#look();
    }
  }

  #look(): void {
    const [from, to] = [this.#from, Date.now()];
    const lostMs = to - from - this.#beats * BEAT_MS;
    [this.#from, this.#beats] = [to, 0];
    if (lostMs < STALL_MS) return;
    this.stalledMs += lostMs;
    this.onStall(from, to);
  }
}
