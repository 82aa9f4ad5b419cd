/** Pseudo-random numbers that are the same at every run (mulberry32). */
export class SeededRandom {
  constructor(private state: number) {}

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return least + (((mixed ^ (mixed >>> 14)) >>> 0) % (most - least + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.whole(0, choices.length - 1)]!;
  }
}

/**
 * A field as text, and the values that it stands for. Both are given, so that neither has to be derived from the other.
 */
interface Field {
  readonly text: string;
  readonly has: (value: number) => boolean;
}

/** Days are given as UTC midnights. */
interface DayFields {
  readonly dayOfMonth: string;
  readonly dayOfWeek: string;
  readonly has: (date: Date) => boolean;
}

export interface RandomCron {
  readonly text: string;
  /** True if the hour field runs by elapsed time in natural mode. */
  readonly everyHour: boolean;
  readonly hasDay: (date: Date) => boolean;
  readonly hasTime: (hour: number, minute: number, second: number) => boolean;
}

const DAY = 86_400_000;
/** The hours of a day. */
export const HOURS: readonly number[] = Array.from({ length: 24 }, (_, hour) => hour);
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** A valid expression; over many calls every form of every field occurs. */
export function randomCron(random: SeededRandom): RandomCron {
  const second = random.pick([zero, randomField])(random, 0, 59);
  const minute = random.pick([zero, randomField, randomField])(random, 0, 59);
  const hour = randomField(random, 0, random.pick([4, 23]), 23);
  const month = random.pick([every, every, randomField])(random, 1, 12, 12, MONTHS);
  const days = random.pick([randomDayOfMonth, randomDayOfWeek])(random);
  const texts = [second.text, minute.text, hour.text, days.dayOfMonth, month.text, days.dayOfWeek];
  return {
    text: texts.join(' ') + random.pick(['', '', ' *', ' 1970-2199']),
    everyHour: HOURS.every(hour.has),
    hasDay: (date) => month.has(date.getUTCMonth() + 1) && days.has(date),
    hasTime: (h, m, s) => hour.has(h) && minute.has(m) && second.has(s),
  };
}

function zero(): Field {
  return { text: '0', has: (value) => value === 0 };
}

function every(): Field {
  return { text: '*', has: () => true };
}

/** Values are drawn from `least` to `most`; ranges wrap and steps end at `highest`. */
function randomField(
  random: SeededRandom,
  least: number,
  most: number,
  highest: number = most,
  names: readonly string[] = [],
): Field {
  const [a, b, step] = [random.whole(least, most), random.whole(least, most), random.whole(1, highest)];
  const span = highest - least + 1;
  const far = (value: number) => (value - a + span) % span;
  const inRange = (value: number) => far(value) <= far(b);
  const named = (value: number) => names[value - least] ?? String(value);
  const forms: readonly Field[] = [
    every(),
    { text: `*/${step}`, has: (value) => (value - least) % step === 0 },
    { text: `/${step}`, has: (value) => (value - least) % step === 0 },
    { text: `${a}`, has: (value) => value === a },
    { text: `${a}/${step}`, has: (value) => value >= a && (value - a) % step === 0 },
    { text: `${a}/0`, has: (value) => value === a },
    { text: `${a}-${b}`, has: inRange },
    { text: `${a}-${b}/${step}`, has: (value) => inRange(value) && far(value) % step === 0 },
    { text: `${named(a)}-${named(b)}`, has: inRange },
    { text: `${named(a)},${named(b)}`, has: (value) => value === a || value === b },
    { text: `0${a}-${b},*/${step}`, has: (value) => inRange(value) || (value - least) % step === 0 },
  ];
  return random.pick(forms);
}

function randomDayOfMonth(random: SeededRandom): DayFields {
  const [day, back] = [random.whole(1, 31), random.whole(0, 27)];
  const field = randomField(random, 1, 31);
  const forms: readonly (readonly [string, (date: Date) => boolean])[] = [
    ['*', () => true],
    [field.text, (date) => field.has(date.getUTCDate())],
    ['L', (date) => daysLeft(date) === 0],
    [`L-${back}`, (date) => daysLeft(date) === back],
    ['LW', (date) => isWorkdayNearest(date, (other) => daysLeft(other) === 0)],
    [`L-${back}W`, (date) => isWorkdayNearest(date, (other) => daysLeft(other) === back)],
    [`${day}W`, (date) => isWorkdayNearest(date, (other) => other.getUTCDate() === day)],
  ];
  const [text, has] = random.pick(forms);
  return { dayOfMonth: text, dayOfWeek: '?', has };
}

function randomDayOfWeek(random: SeededRandom): DayFields {
  const [weekday, nth] = [random.whole(1, 7), random.whole(1, 5)];
  const written = random.pick([String(weekday), WEEKDAYS[weekday - 1]!]);
  const field = randomField(random, 1, 7, 7, WEEKDAYS);
  const isOn = (date: Date) => date.getUTCDay() + 1 === weekday;
  const forms: readonly (readonly [string, (date: Date) => boolean])[] = [
    ['*', () => true],
    [field.text, (date) => field.has(date.getUTCDay() + 1)],
    ['L', (date) => date.getUTCDay() === 6],
    [`${written}L`, (date) => isOn(date) && daysLeft(date) < 7],
    [`${written}#${nth}`, (date) => isOn(date) && Math.ceil(date.getUTCDate() / 7) === nth],
  ];
  const [text, has] = random.pick(forms);
  return { dayOfMonth: '?', dayOfWeek: text, has };
}

/** Days of the same month that come after the date. */
function daysLeft(date: Date): number {
  let left = 0;
  while (daysLater(date, left + 1).getUTCMonth() === date.getUTCMonth()) left++;
  return left;
}

/** True if no workday of the month is nearer to the day in question. */
function isWorkdayNearest(date: Date, isMeant: (date: Date) => boolean): boolean {
  if (!isWorkday(date)) return false;
  for (let far = 0; far <= 2; far++) {
    const around = [daysLater(date, -far), daysLater(date, far)];
    const meant = around.find((other) => other.getUTCMonth() === date.getUTCMonth() && isMeant(other));
    if (meant !== undefined) return !hasNearerWorkday(meant, far);
  }
  return false;
}

function hasNearerWorkday(meant: Date, than: number): boolean {
  for (let far = 0; far < than; far++) {
    const around = [daysLater(meant, -far), daysLater(meant, far)];
    if (around.some((other) => other.getUTCMonth() === meant.getUTCMonth() && isWorkday(other))) return true;
  }
  return false;
}

function isWorkday(date: Date): boolean {
  return date.getUTCDay() >= 1 && date.getUTCDay() <= 5;
}

function daysLater(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY);
}
