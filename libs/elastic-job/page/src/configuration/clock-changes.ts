/** Fire times in the zone of a job, with the clock changes around them. */
import { dateTime, offsetAt } from '../text/format.js';

/** Offsets such as `+01:00`, before and after the clocks are changed. */
interface ClockChange {
  readonly from: string;
  readonly to: string;
}

export interface FireTime {
  readonly at: number;
  /** `2026-10-25 02:30:00`, in the zone. */
  readonly text: string;
  readonly offset: string;
  /** The clocks are changed on its day, or were since the time before it. */
  readonly change: ClockChange | undefined;
  /** True if its hour comes twice on that day, and this is the second one. */
  readonly isSecond: boolean;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** @param present from when on clock changes count */
export function fireTimesIn(times: readonly string[], zone: string, present: number): readonly FireTime[] {
  const timeZone = intlZone(zone);
  return times.map((time, index) => {
    const at = Date.parse(time);
    const before = index === 0 ? present : Date.parse(times[index - 1]!);
    const text = dateTime(at, timeZone);
    const offset = offsetAt(at, timeZone);
    const change = changeIn(before, at, timeZone) ?? changeOfDay(at, timeZone);
    return { at, text, offset, change, isSecond: isSecond(at, timeZone) };
  });
}

/**
 * A zone as browsers know it: `GMT+8:00` of ElasticJob is `Etc/GMT-8`, whose sign is the other one. With minutes it is
 * `+05:30`, which not all of them know: those show UTC, and say so.
 */
export function intlZone(zone: string): string {
  const [, sign, hours, minutes = '00'] = /^GMT([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(zone) ?? [];
  if (sign === undefined || hours === undefined) return zone;
  if (minutes === '00') return `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
  return `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

function changeIn(start: number, end: number, zone: string): ClockChange | undefined {
  const [from, to] = [offsetAt(start, zone), offsetAt(end, zone)];
  return from === to ? undefined : { from, to };
}

function changeOfDay(at: number, zone: string): ClockChange | undefined {
  const [hours = 0, minutes = 0, seconds = 0] = dateTime(at, zone).slice(11).split(':').map(Number);
  const midnight = at - ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  return changeIn(midnight, midnight + DAY_MS, zone);
}

/** Clocks are set back by an hour, or by half of one. */
function isSecond(at: number, zone: string): boolean {
  const text = dateTime(at, zone);
  return [HOUR_MS, HOUR_MS / 2].some((ms) => dateTime(at - ms, zone) === text);
}
