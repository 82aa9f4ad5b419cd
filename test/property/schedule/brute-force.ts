import type { RandomCron } from './random-cron.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
const SECONDS_OF_DAY = DAY / SECOND;

interface OffsetChange {
  /** The first instant with the offset `after`. */
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/**
 * The offsets of a time zone, found by reading its clock every hour, and every second of hours in which they differ.
 */
export class ZoneReading {
  readonly changes: readonly OffsetChange[];
  readonly offsets: ReadonlySet<number>;
  private readonly format: Intl.DateTimeFormat;
  private readonly first: number;
  private readonly days = new Map<number, Int32Array>();

  constructor(
    readonly timeZone: string,
    readonly from: number,
    readonly until: number,
  ) {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
    const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;
    this.format = new Intl.DateTimeFormat('en-US', { timeZone, ...fields, ...time });
    this.first = this.readOffset(from);
    this.changes = this.readChanges();
    this.offsets = new Set([this.first, ...this.changes.map(({ after }) => after)]);
  }

  offsetAt(instant: number): number {
    return this.changes.findLast(({ at }) => at <= instant)?.after ?? this.first;
  }

  /** The offsets of the second before a day in UTC and of each of its seconds. */
  offsetsOf(day: number): Int32Array {
    const known = this.days.get(day);
    if (known) return known;
    const offsets = Int32Array.from({ length: DAY / SECOND + 1 }, (_, s) => this.offsetAt(day + (s - 1) * SECOND));
    this.days.set(day, offsets);
    return offsets;
  }

  private readChanges(): OffsetChange[] {
    const changes: OffsetChange[] = [];
    let [offset, next] = [this.first, this.first];
    for (let hour = this.from; hour < this.until; hour += HOUR) {
      [offset, next] = [next, this.readOffset(hour + HOUR)];
      if (offset === next) continue;
      for (let at = hour + SECOND; at <= hour + HOUR; at += SECOND) {
        const [before, after] = [this.readOffset(at - SECOND), this.readOffset(at)];
        if (before !== after) changes.push({ at, before, after });
      }
    }
    return changes;
  }

  private readOffset(instant: number): number {
    const shown = this.format.format(instant).split(/\D+/).map(Number);
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - instant;
  }
}

/** The seconds of a day at which an expression fires, on days that match, each decided by itself. */
export class TimeTable {
  /** In milliseconds since the beginning of the day. */
  readonly times: readonly number[];
  /** One for each second of a day: 1 if the expression fires then. */
  readonly matches: Uint8Array;
  private readonly days = new Map<number, boolean>();

  constructor(private readonly cron: RandomCron) {
    this.matches = Uint8Array.from({ length: DAY / SECOND }, (_, s) =>
      Number(cron.hasTime(Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60)),
    );
    this.times = [...this.matches.keys()].filter((s) => this.matches[s] === 1).map((s) => s * SECOND);
  }

  has(time: number): boolean {
    return this.matches[time / SECOND] === 1;
  }

  /** @param day its midnight, read as if in UTC */
  hasDay(day: number): boolean {
    const known = this.days.get(day) ?? this.cron.hasDay(new Date(day));
    this.days.set(day, known);
    return known;
  }
}

/**
 * Decides for each second by itself whether it fires, from the promises about `clockChange` alone. It only skips
 * seconds whose answer is clear: far from clock changes, one table of a day's seconds decides every second of a day.
 */
export class BruteForce {
  private readonly fires = new Map<number, readonly number[]>();

  constructor(
    private readonly cron: RandomCron,
    private readonly table: TimeTable,
    private readonly clockChange: 'quartz' | 'natural',
    private readonly zone: ZoneReading,
  ) {}

  /**
   * The fire instants after the given one, up to the end of the zone's reading. Quartz reads the given one as wall
   * time, which means the later of the instants that show it.
   */
  *firesAfter(instant: number): Generator<number> {
    const after = this.clockChange === 'quartz' ? this.lastShowing(instant) : instant;
    for (let day = Math.floor(after / DAY) * DAY; day < this.zone.until; day += DAY) {
      for (const fire of this.firesOf(day)) if (fire > after) yield fire;
    }
  }

  /** The fire instants of a day in UTC. */
  private firesOf(day: number): readonly number[] {
    const known = this.fires.get(day);
    if (known) return known;
    const fires = this.isNearChange(day) ? this.eachSecondOf(day) : this.plainFiresOf(day);
    this.fires.set(day, fires);
    return fires;
  }

  private isNearChange(day: number): boolean {
    return this.zone.changes.some(({ at, before, after }) => {
      const shift = Math.abs(after - before);
      return at + shift >= day && at - shift < day + DAY;
    });
  }

  private eachSecondOf(day: number): number[] {
    const fires: number[] = [];
    const offsets = this.zone.offsetsOf(day);
    const { matches } = this.table;
    for (let s = 0; s < SECONDS_OF_DAY; s++) {
      const [before, offset] = [offsets[s]!, offsets[s + 1]!];
      // Most seconds are clear: no wall time was skipped, and the one that is shown does not match on any day.
      const isSkip = offset > before;
      if (!isSkip && matches[(s + offset / SECOND + SECONDS_OF_DAY) % SECONDS_OF_DAY] === 0) continue;
      const instant = day + s * SECOND;
      if (this.isFire(instant, before, offset)) fires.push(instant);
    }
    return fires;
  }

  /** No offset changes on this day, and each of its wall times is shown once. */
  private plainFiresOf(day: number): number[] {
    const offset = this.zone.offsetAt(day);
    const firstDay = Math.floor((day + offset) / DAY) * DAY;
    const fires: number[] = [];
    for (const wallDay of [firstDay, firstDay + DAY]) {
      if (!this.table.hasDay(wallDay)) continue;
      for (const time of this.table.times) {
        const instant = wallDay + time - offset;
        if (instant >= day && instant < day + DAY) fires.push(instant);
      }
    }
    return fires;
  }

  /** @param before the offset in force a second ago */
  private isFire(instant: number, before: number, offset: number): boolean {
    const isMatch = this.isMatch(instant + offset);
    if (this.clockChange === 'quartz') return isMatch && this.lastShowing(instant) === instant;
    if (this.cron.everyHour) return isMatch;
    if (isMatch && this.firstShowing(instant) === instant) return true;
    return offset > before && this.isMatchSkipped(instant + before, instant + offset);
  }

  private isMatchSkipped(from: number, until: number): boolean {
    for (let wall = from; wall < until; wall += SECOND) if (this.isMatch(wall)) return true;
    return false;
  }

  private isMatch(wall: number): boolean {
    const day = Math.floor(wall / DAY) * DAY;
    return this.table.has(wall - day) && this.table.hasDay(day);
  }

  private firstShowing(instant: number): number {
    return Math.min(...this.showingsOf(instant + this.zone.offsetAt(instant)));
  }

  private lastShowing(instant: number): number {
    return Math.max(...this.showingsOf(instant + this.zone.offsetAt(instant)));
  }

  /** The instants at which the zone's clock shows a wall time. */
  private showingsOf(wall: number): number[] {
    return [...this.zone.offsets].map((offset) => wall - offset).filter((t) => t + this.zone.offsetAt(t) === wall);
  }
}
