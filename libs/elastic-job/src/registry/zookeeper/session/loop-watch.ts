import type { Clock, Timer } from '../../../clock/index.js';
import { leaseLengthMs } from '../../session-lease.js';
import type { Session } from './session.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

/** Number of checks of the loop within the limit. */
const LOOKS = 8;

/** Notices, afterwards, that this thread's event loop was blocked. Nothing was heard, answered or aborted meanwhile. */
export class LoopWatch {
  private timer?: Timer;

  /** @param tell receives the milliseconds for which the loop was blocked, at least */
  constructor(
    private readonly clock: Clock,
    private readonly tell: (stillMs: number) => void,
  ) {}

  /** Starts watching. @param limitMs blocks that are shorter, or little longer, are ignored */
  start(limitMs: number): void {
    this.stop();
    const waitMs = limitMs / LOOKS;
    const due = this.clock.monotonicNow() + waitMs;
    this.timer = this.clock.setTimer(waitMs, () => {
      const stillMs = this.clock.monotonicNow() - due;
      this.start(limitMs);
      if (stillMs >= limitMs) this.tell(stillMs);
    });
  }

  stop(): void {
    this.timer?.cancel();
  }
}

/**
 * Warns, while there is a session, if the event loop was blocked for a third of the time that would cost the session.
 */
export function warnOfStandstill(
  session: Session,
  { connection, maxBlockedMs, serverTickMs }: ResolvedZooKeeperOptions,
  clock: Clock,
  warn: (message: string) => void,
): void {
  const inProcess = connection === 'in-process';
  const costlyMs = () => {
    const { timeoutMs } = session.info;
    return inProcess ? leaseLengthMs(timeoutMs, serverTickMs) : maxBlockedMs;
  };
  const advice = inProcess ? "or connect with connection: 'worker-thread'" : 'or raise maxBlockedMs';
  const watch = new LoopWatch(clock, (stillMs) =>
    warn(
      `The event loop stood still for ${Math.round(stillMs)} ms; ${Math.round(costlyMs())} ms cost the session, and ` +
        `other instances then take over its items. Compute in smaller steps or in a worker thread, ${advice}.`,
    ),
  );
  session.onChange(({ state }) => {
    if (state === 'CONNECTED') watch.start(costlyMs() / 3);
    if (state === undefined) watch.stop();
  });
}
