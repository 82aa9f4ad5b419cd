import { CronSyntaxError, Schedules, type Timetable, timetableOf, TimeZoneError } from '../../domain/index.js';

/** At this size the table is emptied; jobs keep what they have. */
const MOST_KEPT = 20_000;

/** A timetable that jobs share, with the fire time that it has found. */
export class SharedTimetable {
  private found: { readonly after: number; readonly next: number | undefined } | undefined;

  constructor(
    private readonly schedules: Schedules,
    private readonly timetable: Timetable,
  ) {}

  /** The first fire time after now, in milliseconds since the epoch. It is computed once, until it has passed. */
  next(now: number): number | undefined {
    const { found } = this;
    if (found !== undefined && found.after <= now && (found.next === undefined || now < found.next)) return found.next;
    const next = this.after(now);
    this.found = { after: now, next };
    return next;
  }

  /** The first fire time after an instant; undefined if there is none. Each call computes it. */
  after(instant: number): number | undefined {
    return this.schedules.of(this.timetable)?.next(instant);
  }
}

/** The timetables of many jobs, each kept once. */
export class FireTimes {
  private readonly schedules = new Schedules();
  private readonly known = new Map<string, SharedTimetable>();

  /** Why a timetable can have no fire times; undefined if it can. */
  findFault(timetable: Timetable): string | undefined {
    try {
      this.schedules.of(timetable);
      return undefined;
    } catch (error) {
      if (error instanceof CronSyntaxError || error instanceof TimeZoneError) return error.message;
      throw error;
    }
  }

  /** The timetable of settings; undefined if they have none that can be read. */
  in(
    settings: Parameters<typeof timetableOf>[0] & { readonly problem: string | null },
    isQuartz: boolean,
  ): SharedTimetable | undefined {
    if (settings.cron === undefined || settings.problem !== null) return undefined;
    return this.of(timetableOf(settings, isQuartz));
  }

  /** Only for a timetable without a fault. */
  of(timetable: Timetable): SharedTimetable {
    const key = `${timetable.cron}\n${timetable.timeZone}\n${timetable.clockChange}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.known.size >= MOST_KEPT) this.known.clear();
    const shared = new SharedTimetable(this.schedules, timetable);
    this.known.set(key, shared);
    return shared;
  }
}
