/**
 * Instants, spans of time and numbers in the words of a language. An instant is never shown without its zone: beside
 * it, or once for a whole list by `zoneName`.
 */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The zone of this device. */
export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export interface Units {
  readonly day: string;
  readonly hour: string;
  readonly minute: string;
  readonly second: string;
  readonly ms: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making one takes a millisecond, and a list has hundreds. */
function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, known);
  return known;
}

/** `02:00:00`. A zone that this device does not know is shown in UTC, and said so by `zoneName`. */
export function clockTime(at: number, timeZone: string, withSeconds = true): string {
  const seconds = withSeconds ? ({ second: '2-digit' } as const) : {};
  return formatOf('en-GB', { hour: '2-digit', minute: '2-digit', ...seconds, timeZone: knownZone(timeZone) }).format(
    at,
  );
}

/** `2026-11-30`, in the zone. */
function dayOf(at: number, timeZone: string): string {
  return formatOf('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: knownZone(timeZone) }).format(
    at,
  );
}

/** `2026-11-30 02:00:00`, in the zone. */
export function dateTime(at: number, timeZone: string): string {
  return `${dayOf(at, timeZone)} ${clockTime(at, timeZone)}`;
}

/** The time, with the day before it unless that is today: `02:00`, `29 Nov 02:00`. */
export function nearTime(
  at: number,
  present: number,
  { locale, timeZone, withSeconds = false }: { locale: string; timeZone: string; withSeconds?: boolean },
): string {
  const time = clockTime(at, timeZone, withSeconds);
  if (dayOf(at, timeZone) === dayOf(present, timeZone)) return time;
  const day = formatOf(locale, { day: 'numeric', month: 'short', timeZone: knownZone(timeZone) }).format(at);
  return `${day} ${time}`;
}

/** `Tue`, in the zone. */
export function weekday(at: number, timeZone: string, locale: string): string {
  return formatOf(locale, { weekday: 'short', timeZone: knownZone(timeZone) }).format(at);
}

/** `+01:00` at that instant, which tells two equal times of a clock change apart. */
export function offsetAt(at: number, timeZone: string): string {
  const zone = knownZone(timeZone);
  const part = formatOf('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName');
  return part?.value.replace('GMT', '') || '+00:00';
}

/** The zone in which a time is shown: that of the job, or UTC where this device does not know that. */
export function zoneName(timeZone: string): string {
  return knownZone(timeZone);
}

function knownZone(timeZone: string): string {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  let zone = timeZone;
  try {
    Intl.DateTimeFormat('en', { timeZone });
  } catch {
    zone = 'UTC';
  }
  zones.set(timeZone, zone);
  return zone;
}
const zones = new Map<string, string>();

/** The two greatest units: `2 d 04 h`, `1 h 14 m`, `11 m 57 s`, `48 s`, `120 ms`. */
export function span(ms: number, units: Units): string {
  const rest = Math.max(0, Math.round(ms));
  const two = (great: number, greatUnit: string, small: number, smallUnit: string) =>
    `${great} ${greatUnit} ${String(small).padStart(2, '0')} ${smallUnit}`;
  if (rest >= DAY_MS)
    return two(Math.floor(rest / DAY_MS), units.day, Math.floor((rest % DAY_MS) / HOUR_MS), units.hour);
  if (rest >= HOUR_MS)
    return two(Math.floor(rest / HOUR_MS), units.hour, Math.floor((rest % HOUR_MS) / MINUTE_MS), units.minute);
  if (rest >= MINUTE_MS)
    return two(Math.floor(rest / MINUTE_MS), units.minute, Math.floor((rest % MINUTE_MS) / 1_000), units.second);
  return rest < 1_000 && rest > 0 ? `${rest} ${units.ms}` : `${Math.floor(rest / 1_000)} ${units.second}`;
}

/** `10 m`, `1 s`: a span of one unit without the nothing of the next one. */
export function roundSpan(ms: number, units: Units): string {
  return span(ms, units).replace(/ 00 \S+$/, '');
}

/** For spans that are counted while somebody looks at them: milliseconds would only flicker. */
export function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

/** `12,345`, as the language writes it. */
export function number(value: number, locale: string): string {
  return value.toLocaleString(locale);
}

/** `3, 5, 7–9`, and how many more if there are many. */
export function itemList(items: readonly number[], most = 8): { readonly shown: string; readonly more: number } {
  const ranges: [number, number][] = [];
  for (const item of items) {
    const last = ranges.at(-1);
    if (last !== undefined && item === last[1] + 1) last[1] = item;
    else ranges.push([item, item]);
  }
  const texts = ranges.map(([from, to]) =>
    from === to ? `${from}` : to === from + 1 ? `${from}, ${to}` : `${from}–${to}`,
  );
  const shown = ranges.slice(0, most);
  const named = shown.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  return { shown: texts.slice(0, most).join(', '), more: items.length - named };
}
