import type { Clock, Timer } from '../../../clock/index.js';
import { leaseLengthMs } from '../../session-lease.js';
import type { Session } from './session.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

/** So many times within the limit the loop is looked after. */
const LOOKS = 8;

/**
 * Notices, afterwards, that this thread's event loop has stood still: nothing was heard, answered or aborted meanwhile.
 */
export class LoopWatch {
  private timer?: Timer;

  /** @param tell hears for how many milliseconds it stood still at least */
  constructor(
    private readonly clock: Clock,
    private readonly tell: (stillMs: number) => void,
  ) {}

  /** Begins to watch. @param limitMs a shorter standstill, or one that is little longer, is of no concern */
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

/** Warns when the event loop has stood still for a third of what would cost the session, as long as there is one. */
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
      `The event loop stood still for ${Math.round(stillMs)} ms; ${Math.round(costlyMs())} ms cost the session, and others ` +
        `get its items. Compute in smaller steps or in a worker thread, ${advice}.`,
    ),
  );
  session.onChange(({ state }) => {
    if (state === 'CONNECTED') watch.start(costlyMs() / 3);
    if (state === undefined) watch.stop();
  });
}
