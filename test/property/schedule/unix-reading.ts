import { HOURS, type RandomCron } from './random-cron.js';

interface UnixField {
  readonly text: string;
  readonly has: (value: number) => boolean;
}

/**
 * The meaning of a numeric unix expression of five fields, or six with seconds first, read value by value and without
 * Quartz. Sunday is 0 or 7. A day matches if both of its fields do, which is right where only one of them is
 * restricted.
 */
export function readUnix(expression: string): RandomCron {
  const given = expression.trim().split(/\s+/);
  const [seconds, minutes, hours, days, months, weekdays] = given.length === 6 ? given : ['0', ...given];
  const second = field(seconds, 59);
  const minute = field(minutes, 59);
  const hour = field(hours, 23);
  const day = field(days, 31, 1);
  const month = field(months, 12, 1);
  const weekday = field(weekdays, 7);
  return {
    text: expression,
    everyHour: HOURS.every(hour.has),
    hasDay: (date) =>
      month.has(date.getUTCMonth() + 1) && day.has(date.getUTCDate()) && isOn(weekday, date.getUTCDay()),
    hasTime: (h, m, s) => hour.has(h) && minute.has(m) && second.has(s),
  };
}

function isOn(weekday: UnixField, sundayIs0: number): boolean {
  return weekday.has(sundayIs0) || (sundayIs0 === 0 && weekday.has(7));
}

function field(text = '', highest: number, lowest = 0): UnixField {
  const parts = text.split(',').map((part) => readPart(part, highest, lowest));
  return { text, has: (value) => parts.some((has) => has(value)) };
}

function readPart(part: string, highest: number, lowest: number): (value: number) => boolean {
  const [span = '', step] = part.split('/');
  const [first, last] = span === '*' ? [lowest, highest] : span.split('-').map(Number);
  const end = last ?? (step === undefined ? first! : highest);
  return (value) => value >= first! && value <= end && (value - first!) % Number(step ?? 1) === 0;
}
