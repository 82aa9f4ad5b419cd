import { type Clock, HeldBack } from '../../clock/index.js';
import type { Trigger } from '../../domain/index.js';
import type { JobEvent, JobEvents } from '../../tracing/index.js';

/** Milliseconds between two reports of late runs of one job. */
const WINDOW_MS = 60_000;

type LateEvent = Extract<JobEvent, { kind: 'late' }>;

/**
 * Reports runs of a process that begin too late: the first one of each job at once, and those of the following minute
 * together, since an overloaded process must not report each one.
 */
export class LateRuns {
  private readonly heldBack: HeldBack<LateEvent>;

  /** @param lateAfterMs longest time from the due instant to the handler's first line without an event */
  constructor(
    clock: Clock,
    events: Pick<JobEvents, 'emit'>,
    private readonly lateAfterMs: number,
  ) {
    this.heldBack = new HeldBack(clock, {
      windowMs: WINDOW_MS,
      join: joined,
      tell: (late: LateEvent) => events.emit(late),
    });
  }

  /**
   * Notes how long after the due instant the first handler of a run was called. Failover runs are always late and
   * reported by events of their own.
   */
  note(trigger: Trigger, latenessMs: number): void {
    const { lateAfterMs } = this;
    if (latenessMs <= lateAfterMs || trigger.source === 'FAILOVER') return;
    this.heldBack.add(trigger.jobName, { kind: 'late', trigger, latenessMs, lateAfterMs, count: 1 });
  }

  /** Tells the reports that were held back. */
  end(): void {
    this.heldBack.end();
  }
}

function joined(held: LateEvent, next: LateEvent): LateEvent {
  return { ...(next.latenessMs > held.latenessMs ? next : held), count: held.count + next.count };
}
