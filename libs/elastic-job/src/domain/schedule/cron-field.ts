import { ElasticJobError } from '../errors.js';

/** The values that a field takes. */
export interface CronFieldRange {
  readonly name: CronFieldName;
  readonly lowest: number;
  readonly highest: number;
  /** Largest step that Quartz accepts. */
  readonly largestStep: number;
  /** Names of the values from `lowest` on. */
  readonly names?: readonly string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/**
 * The fields in the order in which they are written. Quartz ends its years at the current one plus 100. An expression
 * must mean the same on every day it is read, so the end is fixed here, beyond Quartz's end in this century.
 */
export const CRON_FIELDS: readonly CronFieldRange[] = [
  { name: 'second', lowest: 0, highest: 59, largestStep: 59 },
  { name: 'minute', lowest: 0, highest: 59, largestStep: 59 },
  { name: 'hour', lowest: 0, highest: 23, largestStep: 23 },
  { name: 'day of month', lowest: 1, highest: 31, largestStep: 31 },
  { name: 'month', lowest: 1, highest: 12, largestStep: 12, names: MONTHS },
  { name: 'day of week', lowest: 1, highest: 7, largestStep: 7, names: WEEKDAYS },
  { name: 'year', lowest: 1970, highest: 2199, largestStep: 229 },
];

/** The values of `*`, shared by all schedules because the list of years is long. */
const EVERY: ReadonlyMap<CronFieldName, readonly number[]> = new Map(
  CRON_FIELDS.map(({ name, lowest, highest }) => [
    name,
    Object.freeze(Array.from({ length: highest - lowest + 1 }, (_, i) => lowest + i)),
  ]),
);

/** `*`, a value or a range, and a step; each may be missing. */
const PART = /^(?:\*|(\w+)(?:-(\w+))?)?(?:\/(\d+))?$/;
/** More parts than any field has values. */
const MOST_PARTS = 1_000;
const NUMBER = /^\d+$/;

/** One field of an expression as it was written, in upper case. */
export class CronField {
  constructor(
    private readonly expression: string,
    private readonly range: CronFieldRange,
    readonly text: string,
  ) {}

  /**
   * The values that a list of values, ranges and steps stands for, ascending. A range may wrap: `22-2`, `FRI-MON`.
   * @throws {CronSyntaxError} for any other text.
   */
  values(): readonly number[] {
    if (this.text === '*') return EVERY.get(this.range.name)!;
    const values = new Set<number>();
    const parts = new Set(this.text.split(','));
    if (parts.size > MOST_PARTS) this.refuse(`is a list of ${parts.size} parts, and may be one of ${MOST_PARTS}`);
    for (const part of parts) for (const value of this.valuesOf(part)) values.add(value);
    return [...values].toSorted((a, b) => a - b);
  }

  /** @throws {CronSyntaxError} if the text is neither a number of this field nor one of its names. */
  value(text: string): number {
    const { lowest, highest, names } = this.range;
    const value = NUMBER.test(text) ? Number(text) : lowest + (names?.indexOf(text) ?? Number.NaN);
    if (value >= lowest && value <= highest) return value;
    const orNames = names === undefined ? '' : ` or ${names.at(0)} to ${names.at(-1)}`;
    return this.refuse(`"${text}" is not ${lowest} to ${highest}${orNames}`);
  }

  /** @throws {CronSyntaxError} always. */
  refuse(problem: string): never {
    throw new CronSyntaxError(this.expression, this.range.name, problem);
  }

  private valuesOf(part: string): number[] {
    const match = PART.exec(part);
    if (!match || part === '') this.refuse(`"${part}" is no value, range or step, such as 5, 1-5, */5 or 1-5/2`);
    const [, first, last, step] = match;
    this.checkNames(part, first, last, step);
    const from = first === undefined ? this.range.lowest : this.value(first);
    const open = first === undefined || step !== undefined;
    const to = last !== undefined ? this.value(last) : open ? this.range.highest : from;
    if (Number(step) === 0) return this.zeroStep(part, first, from);
    return this.expand(part, from, to, Number(step ?? 1));
  }

  /**
   * Accepts a single name or a range of names only: Quartz reads names up to the end of a range and ignores the rest.
   */
  private checkNames(part: string, first = '0', last = first, step?: string): void {
    const named = !NUMBER.test(first);
    if (named !== !NUMBER.test(last)) this.refuse(`"${part}" mixes a name and a number; write both ends alike`);
    if (named && step !== undefined)
      this.refuse(`"${part}" has a step behind a name, which Quartz ignores; write numbers`);
  }

  /**
   * Reads `a/0` as the value a, as Quartz does. Refuses a step of 0 behind nothing or `*`, which Quartz takes for every
   * value.
   */
  private zeroStep(part: string, first: string | undefined, from: number): number[] {
    return first === undefined ? this.refuse(`the step of "${part}" is 0; write 1 or more`) : [from];
  }

  private expand(part: string, from: number, to: number, step: number): number[] {
    const { name, lowest, highest, largestStep } = this.range;
    if (step > largestStep) this.refuse(`the step of "${part}" is larger than ${largestStep}`);
    const wraps = to < from;
    if (wraps && name === 'year') this.refuse(`"${part}" ends before it begins; write the earlier year first`);
    const span = highest - lowest + 1;
    const count = Math.floor((to - from + (wraps ? span : 0)) / step) + 1;
    return Array.from({ length: count }, (_, i) => ((from - lowest + i * step) % span) + lowest);
  }
}

/** The fields of a Quartz cron expression, in the order in which they are written. */
export type CronFieldName = 'second' | 'minute' | 'hour' | 'day of month' | 'month' | 'day of week' | 'year';

/**
 * A text that is no Quartz cron expression, or one with an unexpected meaning in Quartz.
 * @remarks Correct the field that the message names. Set `cronDialect: 'unix'` for an expression of crontab.
 */
export class CronSyntaxError extends ElasticJobError {
  readonly code = 'CRON_SYNTAX';

  /**
   * @param expression the whole text
   * @param field the field that is wrong, or undefined if the fault is in the whole expression
   * @param problem the fault, and a correct form
   */
  constructor(
    readonly expression: string,
    readonly field: CronFieldName | undefined,
    problem: string,
  ) {
    super(`Cron expression "${expression}": ${field === undefined ? '' : `${field}: `}${problem}.`);
  }
}
