import { ElasticJobError } from '../errors.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Since 1970 two changes of one zone's offset were never closer than 7 days, so probes at this distance miss none. */
const PROBE_DISTANCE = 3 * 24 * HOUR;

/** A stretch of time with one offset. All in milliseconds; wall time = instant + offset. */
export interface OffsetSpan {
  /** The first instant. */
  readonly start: number;
  /** The first instant after it. */
  readonly end: number;
  readonly offset: number;
  /** The offset in force until `start`; equal to `offset` where the span was cut. */
  readonly before: number;
  /** The offset in force from `end` on; equal to `offset` where the span was cut. */
  readonly after: number;
}

/** The offsets of one time zone from UTC. */
export class TimeZone {
  /** As it was given, or the IANA name of the host's. */
  readonly name: string;

  private readonly offsetAt: (instant: number) => number;

  /**
   * @param name an IANA name, ElasticJob's `GMT`, `GMT+8`, `GMT+0800` or `GMT+8:00`, or undefined for the zone of the
   * host
   * @throws {TimeZoneError} if it is none of these. Java would take a malformed offset for GMT.
   */
  constructor(name?: string) {
    this.name = name ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const fixed = fixedOffset(this.name);
    if (fixed !== undefined) {
      this.offsetAt = () => fixed;
      return;
    }
    const format = sharedFormat(this.name, name);
    this.offsetAt = (instant) => parseOffset(format.format(instant));
  }

  /** The spans that cover the time from one whole second to another, in order. */
  spans(from: number, until: number): OffsetSpan[] {
    const stretches = this.stretches(from, until);
    return stretches.map(({ start, offset }, i) => ({
      start,
      end: stretches[i + 1]?.start ?? until,
      offset,
      before: stretches[i - 1]?.offset ?? offset,
      after: stretches[i + 1]?.offset ?? offset,
    }));
  }

  private stretches(from: number, until: number): Pick<OffsetSpan, 'start' | 'offset'>[] {
    const last = until - SECOND;
    let current = { start: from, offset: this.offsetAt(from) };
    const stretches = [current];
    for (let probe = from; probe < last;) {
      const next = Math.min(probe + PROBE_DISTANCE, last);
      const offset = this.offsetAt(next);
      if (offset !== current.offset) {
        current = { start: this.changeBetween(probe, next, current.offset), offset };
        stretches.push(current);
      }
      probe = next;
    }
    return stretches;
  }

  /** The first instant at which the offset of `same` is no longer in force; at `changed` it is gone. */
  private changeBetween(same: number, changed: number, offset: number): number {
    if (changed - same <= SECOND) return changed;
    const middle = same + Math.floor((changed - same) / (2 * SECOND)) * SECOND;
    return this.offsetAt(middle) === offset
      ? this.changeBetween(middle, changed, offset)
      : this.changeBetween(same, middle, offset);
  }
}

/** @see java.util.TimeZone, "custom time zone ID"; unlike there, letters are read as they are written. */
function fixedOffset(name: string): number | undefined {
  // Intl takes a thousand times as long, and most clusters are set to UTC.
  if (name === 'UTC') return 0;
  const match = /^GMT([+-])(\d{1,2})(?::?(\d\d))?$/.exec(name);
  if (!match) return undefined;
  const [, sign, hours, minutes = 0] = match;
  if (Number(hours) > 23 || Number(minutes) > 59) throw new TimeZoneError(name);
  const size = Number(hours) * HOUR + Number(minutes) * MINUTE;
  return sign === '-' ? -size : size;
}

/** By the names of their zones in lower case, since case does not count. Each takes 30 KB outside of the heap. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** @param given undefined for the zone of the host, which may have a name that Intl does not take */
function sharedFormat(name: string, given: string | undefined): Intl.DateTimeFormat {
  const key = name.toLowerCase();
  const format = formats.get(key) ?? offsetFormat(given);
  formats.set(key, format);
  return format;
}

function offsetFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' });
  } catch (cause) {
    throw new TimeZoneError(timeZone ?? 'of the host', { cause });
  }
}

/** Reads `2027, GMT+02:00`; historical offsets also have seconds. */
function parseOffset(text: string): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match ?? [];
  const size = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
  return sign === '-' ? -size : size;
}

/**
 * A time zone that this process does not know.
 * @remarks Use an IANA name such as `Asia/Shanghai`, or an offset such as `GMT+8:00`.
 */
export class TimeZoneError extends ElasticJobError {
  readonly code = 'TIME_ZONE';

  constructor(
    readonly timeZone: string,
    options?: ErrorOptions,
  ) {
    super(
      `Time zone "${timeZone}" is unknown; use an IANA name such as "Asia/Shanghai", or an offset such as "GMT+8:00".`,
      options,
    );
  }
}
