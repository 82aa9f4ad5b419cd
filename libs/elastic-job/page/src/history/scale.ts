/** Scales of charts: round values beside their lines, and places of values in a room of pixels. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Steps between instants that are round for a person. */
const TIME_STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((count) => count * DAY),
];

/**
 * Round instants from `from` to `to`, at most `most` of them.
 * @param offsetMs offset of the zone in which they are round
 */
export function timeTicks(from: number, to: number, most: number, offsetMs = 0): readonly number[] {
  const step = TIME_STEPS.find((one) => (to - from) / one <= most) ?? 364 * DAY;
  const first = Math.ceil((from + offsetMs) / step) * step - offsetMs;
  const ticks: number[] = [];
  for (let tick = first; tick <= to && ticks.length < most; tick += step) ticks.push(tick);
  return ticks;
}

/** Round spans from 0 to above `max`, in milliseconds: at most five. */
export function spanTicks(max: number): readonly number[] {
  const step = TIME_STEPS.find((one) => Math.max(1, max) / one <= 4) ?? 364 * DAY;
  const ticks = [0];
  while (ticks.at(-1)! < max) ticks.push(ticks.at(-1)! + step);
  return ticks.length === 1 ? [0, step] : ticks;
}

/** Powers of ten around the values, in milliseconds, with a minute in the place of 100 s: at most six. */
export function logTicks(max: number): readonly number[] {
  return [1, 10, 100, SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 10 * HOUR, 4 * DAY].filter(
    (tick, index, all) => index < 2 || all[index - 1]! < max,
  );
}

/** Place of a value between two ends of a room; values beyond are at its ends. */
export function placeOf(
  value: number,
  [first, last]: readonly [number, number],
  [from, to]: readonly [number, number],
) {
  if (last <= first) return from;
  const part = Math.max(0, Math.min(1, (value - first) / (last - first)));
  return from + part * (to - from);
}

/** Place of a value on a scale of powers; what is below the first is at its end. */
export function logPlaceOf(value: number, [first, last]: readonly [number, number], room: readonly [number, number]) {
  return placeOf(Math.log(Math.max(first, value)), [Math.log(first), Math.log(last)], room);
}

/** Width of a small text in pixels, about: beside a picture there is no room to measure it. */
export function textWidth(text: string): number {
  return Array.from(text, (character) => (character > '\u02ff' ? 11 : 6.4)).reduce((sum, width) => sum + width, 0);
}
