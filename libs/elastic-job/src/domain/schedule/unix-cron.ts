import { CRON_FIELDS, type CronFieldRange, CronSyntaxError } from './cron-field.js';

/** @see `cron` 4.4, `constants.ts` */
const PRESETS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 *',
  '@monthly': '0 0 0 1 * *',
  '@weekly': '0 0 0 * * 0',
  '@daily': '0 0 0 * * *',
  '@hourly': '0 0 * * * *',
  '@minutely': '0 * * * * *',
  '@secondly': '* * * * * *',
  '@weekdays': '0 0 0 * * 1-5',
  '@weekends': '0 0 0 * * 0,6',
};
const FIELDS = 6;
const EVERY = '*';
const ANY = '?';
/** `*`, a value or a range, and a step. */
const PART = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/;

/** The values from `lower` to `upper`, in steps. */
interface Part {
  readonly lower: number;
  readonly upper: number;
  readonly step: number;
}

/**
 * Translates a unix expression into Quartz's: five fields, or six with seconds first, as the package `cron` reads them
 * (Sunday is 0 or 7).
 * @throws {CronSyntaxError} if `cron` would refuse it, or if Quartz has no form for it: both day fields are restricted
 */
export function unixToQuartz(expression: string): string {
  const text = expression.trim().toLowerCase();
  const fields = (PRESETS[text] ?? text).split(/\s+/);
  if (fields.length !== FIELDS && fields.length !== FIELDS - 1)
    throw new CronSyntaxError(expression, undefined, `has ${fields.length} fields, but a unix expression has 5 or 6`);
  const given = fields.length === FIELDS ? fields : ['0', ...fields];
  const [second, minute, hour, day, month] = given.map((field, i) => new UnixField(expression, i, field).quartz());
  const weekdays = new UnixField(expression, FIELDS - 1, given[FIELDS - 1]!).weekdays();
  if (weekdays === EVERY) return `${second} ${minute} ${hour} ${day} ${month} ${ANY}`;
  if (day === EVERY) return `${second} ${minute} ${hour} ${ANY} ${month} ${weekdays}`;
  const problem = 'is restricted beside the day of month, which Quartz cannot say; make two jobs of it';
  throw new CronSyntaxError(expression, 'day of week', problem);
}

/** A unix expression as Quartz writes it, or undefined if the text is none. */
export function findQuartzOfUnix(expression: string): string | undefined {
  try {
    return unixToQuartz(expression);
  } catch {
    return undefined;
  }
}

/** One field of a unix expression. */
class UnixField {
  private readonly range: CronFieldRange;
  /** A unix weekday is one less than Quartz's; 7 means Sunday as well. */
  private readonly isWeekday: boolean;
  private readonly lowest: number;
  private readonly highest: number;

  constructor(
    private readonly expression: string,
    index: number,
    private readonly text: string,
  ) {
    this.range = CRON_FIELDS[index]!;
    this.isWeekday = index === FIELDS - 1;
    this.lowest = this.isWeekday ? 0 : this.range.lowest;
    this.highest = this.range.highest;
  }

  /** The field as Quartz writes it; `*` if it covers everything. */
  quartz(): string {
    const parts = this.parts().map((part) => this.partText(part));
    return parts.includes(EVERY) ? EVERY : parts.join(',');
  }

  /** The field as Quartz writes days of the week, by their names; `*` if it covers everything. */
  weekdays(): string {
    const names = this.range.names!;
    const days = new Set(this.parts().flatMap((part) => valuesOf(part).map((day) => day % names.length)));
    if (days.size === names.length) return EVERY;
    const ascending = [...days].toSorted((a, b) => a - b);
    return runsOf(ascending)
      .map(([first, last]) => (first === last ? names[first] : `${names[first]}-${names[last]}`))
      .join(',');
  }

  private parts(): readonly Part[] {
    return this.text.split(',').map((part) => this.parse(part));
  }

  private parse(part: string): Part {
    const match = PART.exec(part);
    if (match === null) return this.refuse(`"${part}" is no value, range or step, such as 5, 1-5, */5 or 1-5/2`);
    const [, first, last, steps] = match;
    const lower = first === undefined ? this.lowest : this.value(first);
    const open = first === undefined || steps !== undefined;
    const upper = last === undefined ? (open ? this.highest : lower) : this.value(last);
    if (lower > upper) this.refuse(`"${part}" ends before it begins`);
    const step = Number(steps ?? 1);
    if (step === 0) this.refuse(`the step of "${part}" is 0; write 1 or more`);
    return { lower, upper, step };
  }

  private value(text: string): number {
    const named = this.range.names?.indexOf(text.toUpperCase()) ?? -1;
    const value = named >= 0 ? named + this.lowest : Number(text);
    if (!(value >= this.lowest && value <= this.highest))
      this.refuse(`"${text}" is not ${this.lowest} to ${this.highest}`);
    return value;
  }

  private partText({ lower, upper, step }: Part): string {
    if (lower + step > upper) return String(lower);
    const isWhole = lower === this.lowest && upper === this.highest;
    const range = isWhole ? EVERY : upper === this.highest && step > 1 ? String(lower) : `${lower}-${upper}`;
    return step === 1 ? range : `${range}/${step}`;
  }

  private refuse(problem: string): never {
    throw new CronSyntaxError(this.expression, this.range.name, problem);
  }
}

function valuesOf({ lower, upper, step }: Part): number[] {
  return Array.from({ length: Math.floor((upper - lower) / step) + 1 }, (_, i) => lower + i * step);
}

/** First and last of each series of consecutive values. */
function runsOf(ascending: readonly number[]): readonly (readonly [first: number, last: number])[] {
  const runs: [number, number][] = [];
  for (const value of ascending) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === value - 1) run[1] = value;
    else runs.push([value, value]);
  }
  return runs;
}
