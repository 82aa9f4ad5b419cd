import type { Clock, Timer } from '../../clock/index.js';
import type { SessionInfo } from '../../registry/index.js';

/** Measures how long the registry has not answered, if that is limited. */
export class SuspendedGrace {
  private timer: Timer | undefined;

  /**
   * @param graceMs undefined: unlimited
   * @param onOver called when the session was SUSPENDED for `graceMs`
   */
  constructor(
    private readonly clock: Clock,
    private readonly graceMs: number | undefined,
    private readonly onOver: (graceMs: number) => void,
  ) {}

  hear({ state }: SessionInfo): void {
    this.stop();
    const { graceMs } = this;
    if (state !== 'SUSPENDED' || graceMs === undefined) return;
    this.timer = this.clock.setTimer(graceMs, () => this.onOver(graceMs));
  }

  stop(): void {
    this.timer?.cancel();
  }
}
