import { CRON_FIELDS, CronField } from './cron-field.js';
import { dayRule, type DayRule } from './day-rule.js';
import { CronSyntaxError, type CronFieldName } from './schedule.errors.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const HOURS_OF_DAY = 24;
const KEPT_DAYS = 8;

/**
 * Wall times that a Quartz cron expression names. A wall time is the reading of a local clock, written as the
 * milliseconds since the epoch at which a clock in UTC shows the same.
 * @see Quartz documentation, CronTrigger tutorial, "Format".
 */
export class WallTimes {
  /** True if all hours of the day are named, however they are written. */
  readonly everyHour: boolean;

  private readonly seconds: readonly number[];
  private readonly minutes: readonly number[];
  private readonly hours: readonly number[];
  private readonly months: readonly number[];
  private readonly years: readonly number[];
  private readonly daysOf: DayRule;
  /** Found days by the day where the search began: fire times of one day ask for the same few. */
  private readonly days = new Map<number, number | undefined>();

  /** @throws {CronSyntaxError} if the expression is not one of Quartz, or would be misread by it. */
  constructor(expression: string) {
    const field = fieldsOf(expression);
    this.seconds = field('second').values();
    this.minutes = field('minute').values();
    this.hours = field('hour').values();
    this.daysOf = dayRule(field('day of month'), field('day of week'));
    this.months = field('month').values();
    this.years = field('year').values();
    this.everyHour = this.hours.length === HOURS_OF_DAY;
  }

  /** The first wall time that is not before the given one; undefined if there is none. */
  atOrAfter(wall: number): number | undefined {
    const today = Math.floor(wall / DAY) * DAY;
    const day = this.dayAtOrAfter(today);
    const time = day === today ? this.timeAtOrAfter(wall - today) : undefined;
    if (time !== undefined) return today + time;
    const later = day === today ? this.dayAtOrAfter(today + DAY) : day;
    return later === undefined ? undefined : later + this.timeAtOrAfter(0)!;
  }

  private dayAtOrAfter(day: number): number | undefined {
    if (this.days.has(day)) return this.days.get(day);
    if (this.days.size >= KEPT_DAYS) this.days.clear();
    const found = this.searchDay(day);
    this.days.set(day, found);
    return found;
  }

  private searchDay(day: number): number | undefined {
    const date = new Date(day);
    const [fromYear, fromMonth, fromDay] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    for (const year of this.years) {
      if (year < fromYear) continue;
      for (const month of this.months) {
        if (year === fromYear && month < fromMonth) continue;
        const isFirst = year === fromYear && month === fromMonth;
        const match = firstAtLeast(this.daysOf(year, month), isFirst ? fromDay : 1);
        if (match !== undefined) return Date.UTC(year, month - 1, match);
      }
    }
    return undefined;
  }

  private timeAtOrAfter(time: number): number | undefined {
    const fromHour = Math.floor(time / HOUR);
    const fromMinute = Math.floor((time % HOUR) / MINUTE);
    for (const hour of this.hours) {
      if (hour < fromHour) continue;
      for (const minute of this.minutes) {
        if (hour === fromHour && minute < fromMinute) continue;
        const isFirst = hour === fromHour && minute === fromMinute;
        const second = firstAtLeast(this.seconds, isFirst ? (time % MINUTE) / SECOND : 0);
        if (second !== undefined) return hour * HOUR + minute * MINUTE + second * SECOND;
      }
    }
    return undefined;
  }
}

function firstAtLeast(ascending: readonly number[], least: number): number | undefined {
  return ascending.find((value) => value >= least);
}

function fieldsOf(expression: string): (name: CronFieldName) => CronField {
  const texts = expression.trim().toUpperCase().split(/\s+/);
  if (texts.length !== 6 && texts.length !== 7) {
    const names = CRON_FIELDS.map(({ name }) => name).join(', ');
    throw new CronSyntaxError(expression, undefined, `it needs 6 or 7 fields separated by blanks: ${names} (optional)`);
  }
  return (name) => {
    const i = CRON_FIELDS.findIndex((range) => range.name === name);
    return new CronField(expression, CRON_FIELDS[i]!, texts[i] ?? '*');
  };
}
