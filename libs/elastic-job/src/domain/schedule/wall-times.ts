import { CRON_FIELDS, CronField, type CronFieldName, CronSyntaxError } from './cron-field.js';

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

/** The days of a month that match, ascending. Months count from 1, as in cron. */
type DayRule = (year: number, month: number) => number[];

const SUNDAY = 1;
const SATURDAY = 7;
const DAYS_PER_WEEK = 7;

/**
 * Combines the two day fields, exactly one of which is `?`.
 *
 * A month without the day is skipped. That holds for `31W` too, where Quartz fires in some months of 30 days and not in
 * others.
 * @throws {CronSyntaxError} if Quartz would refuse the fields, loop for ever over them or ignore a part of them.
 * @see Quartz documentation, CronTrigger tutorial, "Special characters".
 */
function dayRule(dayOfMonth: CronField, dayOfWeek: CronField): DayRule {
  if (dayOfMonth.text !== '?' && dayOfWeek.text !== '?') {
    dayOfWeek.refuse(`is "${dayOfWeek.text}" while day of month is "${dayOfMonth.text}"; one of them must be "?"`);
  }
  if (dayOfWeek.text !== '?') return dayOfWeekRule(dayOfWeek);
  if (dayOfMonth.text !== '?') return dayOfMonthRule(dayOfMonth);
  return dayOfWeek.refuse('is "?" like day of month; only one of them may be "?"');
}

function dayOfMonthRule(field: CronField): DayRule {
  const last = /^L(?:-(\d+))?(W)?$/.exec(field.text);
  if (last) return lastDayRule(field, Number(last[1] ?? 0), last[2] !== undefined);
  const nearest = /^(\d+)W$/.exec(field.text);
  if (nearest) {
    const day = field.value(nearest[1]!);
    return (year, month) => (day <= daysIn(year, month) ? [nearestWorkday(year, month, day)] : []);
  }
  if (field.text.includes('L')) field.refuse(`"${field.text}" is not L, L-3, LW or L-3W, which must stand alone`);
  if (field.text.includes('W')) field.refuse(`"${field.text}" is not LW or a day such as 15W, which must stand alone`);
  const days = field.values();
  return (year, month) => {
    const length = daysIn(year, month);
    return days.filter((day) => day <= length);
  };
}

/** In a month too short for `L-28W` Quartz fires on another day; for `L-29W` it loops for ever. */
function lastDayRule(field: CronField, before: number, workday: boolean): DayRule {
  const most = workday ? 27 : 30;
  if (before > most) field.refuse(`"${field.text}" counts more than ${most} days back`);
  return (year, month) => {
    const day = daysIn(year, month) - before;
    if (day < 1) return [];
    return [workday ? nearestWorkday(year, month, day) : day];
  };
}

function dayOfWeekRule(field: CronField): DayRule {
  if (field.text === 'L') return (year, month) => daysOn(SATURDAY, year, month);
  const special = /^(\d+|[A-Z]{3})(?:(L)|#(\d+))$/.exec(field.text);
  if (!special) return everyWeekRule(field);
  const [, text = '', last, nth] = special;
  const weekday = field.value(text);
  if (last !== undefined) return (year, month) => daysOn(weekday, year, month).slice(-1);
  const n = Number(nth);
  if (n < 1 || n > 5) field.refuse(`"${field.text}" asks for number ${n}; a month has number 1 to 5 of a weekday`);
  return (year, month) => daysOn(weekday, year, month).slice(n - 1, n);
}

function everyWeekRule(field: CronField): DayRule {
  if (/[#L]/.test(field.text))
    field.refuse(`"${field.text}" is not L, or one weekday with L or # such as 6L or 6#3, which must stand alone`);
  const weekdays = field.values();
  return (year, month) => weekdays.flatMap((day) => daysOn(day, year, month)).toSorted((a, b) => a - b);
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Sunday is 1, as in Quartz. */
function weekdayOf(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() + SUNDAY;
}

function daysOn(weekday: number, year: number, month: number): number[] {
  const first = 1 + ((weekday - weekdayOf(year, month, 1) + DAYS_PER_WEEK) % DAYS_PER_WEEK);
  const count = Math.floor((daysIn(year, month) - first) / DAYS_PER_WEEK) + 1;
  return Array.from({ length: count }, (_, i) => first + i * DAYS_PER_WEEK);
}

/** The nearest day from Monday to Friday, never in another month. */
function nearestWorkday(year: number, month: number, day: number): number {
  const weekday = weekdayOf(year, month, day);
  if (weekday === SATURDAY) return day === 1 ? day + 2 : day - 1;
  if (weekday === SUNDAY) return day === daysIn(year, month) ? day - 2 : day + 1;
  return day;
}
