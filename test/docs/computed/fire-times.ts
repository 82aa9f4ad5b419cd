import { type ClockChange, nextFireTimes } from '../../../libs/elastic-job/src/entries/tools.js';

const ZONE = 'Europe/Berlin';
const HOUR = 3_600_000;
/** One o'clock by the wall on both days of 2026 on which Berlin's clocks change. */
const DAYS = [Date.parse('2026-03-29T01:00:00+01:00'), Date.parse('2026-10-25T01:00:00+02:00')];
const EXPRESSIONS = ['0 30 2 * * ?', '0 0/30 2 * * ?', '0 0 1-3 * * ?', '0 0 * * * ?'];
const RULES: readonly ClockChange[] = ['natural', 'quartz'];

/** Cells of the table of clock changes: expression, rule, and what fires from 1 until 4 o'clock on each of the days. */
export function clockChangeRows(): readonly (readonly string[])[] {
  return EXPRESSIONS.flatMap((expression) =>
    RULES.map((rule) => [`\`${expression}\``, `\`${rule}\``, ...DAYS.map((day) => firesOn(day, expression, rule))]),
  );
}

/** Cells of the table of expressions, behind its first column: the expression, and its fire times from 2026 on. */
export function expressionRow(expression: string): readonly string[] {
  const times = nextFireTimes(expression, { timeZone: 'UTC', after: Date.parse('2026-01-01T00:00:00Z'), count: 3 });
  return [`\`${expression}\``, times.map((time) => time.toISOString().slice(0, 16).replace('T', ' ')).join(', ')];
}

function firesOn(day: number, expression: string, clockChange: ClockChange): string {
  const times = nextFireTimes(expression, { timeZone: ZONE, after: day - 1, count: 6, clockChange });
  const fires = times.filter((time) => wallHour(time) < 4 && Number(time) < day + 12 * HOUR).map(wallTime);
  return fires.length === 0 ? '-' : fires.join(', ');
}

function wallHour(time: Date): number {
  return Number(wallTime(time).slice(0, 2));
}

/** Such as `02:30 CEST`. */
function wallTime(time: Date): string {
  const format = { timeZone: ZONE, hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat('en-GB', format).format(time);
}
