// Covered by test/scenario/overload.spec.ts
import { type Clock, HeldBack } from '../../clock/index.js';
import type { Trigger } from '../../domain/index.js';
import type { JobEvent, JobEvents } from '../../tracing/index.js';

/** Late runs of one job are told at most so often, in milliseconds. */
const WINDOW_MS = 60_000;

type LateEvent = Extract<JobEvent, { kind: 'late' }>;

/**
 * Tells of the runs of a process that begin too late: of each job the first one at once, and those of the following
 * minute together. An overloaded process has better things to do than to tell of each.
 */
export class LateRuns {
  private readonly heldBack: HeldBack<LateEvent>;

  /** @param lateAfterMs longest time from the due instant to the handler's first line that needs no event */
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

  /** The first handler of a run is called so long after the run was due. Failover is late by nature, and told as such. */
  note(trigger: Trigger, latenessMs: number): void {
    const { lateAfterMs } = this;
    if (latenessMs <= lateAfterMs || trigger.source === 'FAILOVER') return;
    this.heldBack.add(trigger.jobName, { kind: 'late', trigger, latenessMs, lateAfterMs, count: 1 });
  }

  /** Tells what is held back. */
  end(): void {
    this.heldBack.end();
  }
}

function joined(held: LateEvent, next: LateEvent): LateEvent {
  return { ...(next.latenessMs > held.latenessMs ? next : held), count: held.count + next.count };
}
