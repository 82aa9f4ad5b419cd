import { minute, now } from '../state/index.js';
import { clockTime, dateTime, HERE, nearTime, offsetAt, span, texts, wholeSeconds, zoneName } from '../text/index.js';

interface TimeProps {
  /** ISO 8601, or milliseconds since the epoch. */
  readonly at: string | number;
  /** @default that of this device, which the bar names */
  readonly zone?: string | null;
  readonly withSeconds?: boolean;
}

function msOf(at: string | number): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

function titleOf(ms: number, zone: string): string {
  return `${dateTime(ms, zone)} ${offsetAt(ms, zone)} ${zoneName(zone)}`;
}

/** An instant: the time, with its day unless that is today. The title has all of it, with its zone. */
export function Time({ at, withSeconds = false, zone }: TimeProps) {
  const ms = msOf(at);
  const timeZone = zone ?? HERE;
  const isHere = timeZone === HERE;
  return (
    <time dateTime={new Date(ms).toISOString()} title={titleOf(ms, timeZone)}>
      {nearTime(ms, minute.value, { locale: texts.value.locale, timeZone, withSeconds })}
      {!isHere && <span class="faint"> {zoneName(timeZone)}</span>}
    </time>
  );
}

/** `since 1 h 14 m`, and the instant in the title. */
export function Since({ at }: TimeProps) {
  const ms = msOf(at);
  const { since, units } = texts.value;
  return (
    <time dateTime={new Date(ms).toISOString()} title={titleOf(ms, HERE)}>
      {since(span(wholeSeconds(now.value - ms), units))}
    </time>
  );
}

/** `in 5 m 53 s`. */
export function Until({ at }: TimeProps) {
  const ms = msOf(at);
  const { inTime, units } = texts.value;
  return <span class="num">{inTime(span(wholeSeconds(ms - now.value), units))}</span>;
}

/** The present, and its zone. */
export function Clock() {
  return (
    <span class="dim">
      <time>{clockTime(now.value, HERE)}</time> {HERE}
    </span>
  );
}
