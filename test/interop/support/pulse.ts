const BEAT_MS = 100;
const STALL_MS = 500;

/** Notices when the machine gives nobody the processor, which makes Java's scheduler skip fire times. */
export class Pulse {
  /** How long it did so, in milliseconds. */
  stalledMs = 0;
  readonly #timer = setInterval(() => this.#beat(), BEAT_MS);
  #beatAt = Date.now();

  /** @param onStall called with the times from and to which nobody ran */
  constructor(private readonly onStall: (from: number, to: number) => void = () => {}) {}

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const [from, to] = [this.#beatAt, Date.now()];
    this.#beatAt = to;
    if (to - from < STALL_MS) return;
    this.stalledMs += to - from;
    this.onStall(from, to);
  }
}
