import { type Clock, HeldBack } from '../../clock/index.js';
import type { CoordinationServices } from '../../coordination/index.js';
import type { Schedules, Trigger } from '../../domain/index.js';
import type { JobErrorHandlers } from '../../executor/index.js';
import type { JobEvent, JobEvents } from '../../tracing/index.js';
import type { FairTurns, RegistryTurns } from '../../turns/index.js';
import type { ResolvedRuntimeOptions, SettingsReports } from '../settings/index.js';
import type { ScheduleClock } from '../time/index.js';
import type { WorkErrors } from '../news/index.js';

/** Milliseconds between two reports of late runs of one job. */
const WINDOW_MS = 60_000;

type LateEvent = Extract<JobEvent, { kind: 'late' }>;

/** Parts that all jobs of a process share. */
export interface ProcessContext {
  readonly options: ResolvedRuntimeOptions;
  readonly services: CoordinationServices;
  /** Events for sinks and users. */
  readonly events: JobEvents;
  readonly errorHandlers: JobErrorHandlers;
  /** Errors of the process's own work. */
  readonly errors: WorkErrors;
  readonly lateRuns: LateRuns;
  readonly settingsReports: SettingsReports;
  /** Shares the event loop among the handlers of all jobs, those of the code first. */
  readonly turns: FairTurns;
  /** Turns of the created jobs at the registry. */
  readonly registryTurns: RegistryTurns;
  /** Decides if a fire time has come. */
  readonly scheduleClock: ScheduleClock;
  readonly schedules: Schedules;
}

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
      deliver: (late: LateEvent) => events.emit(late),
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

  /** Emits the reports that were held back. */
  end(): void {
    this.heldBack.end();
  }
}

function joined(held: LateEvent, next: LateEvent): LateEvent {
  return { ...(next.latenessMs > held.latenessMs ? next : held), count: held.count + next.count };
}
