/** Items and fire times of a re-run as somebody types them, and what they mean. */
import { dateTime, HERE, itemList, offsetAt } from '../text/format.js';

const HOUR_MS = 3_600_000;
const MOST_FIRE_TIMES = 100;
const MOST_TARGETS = 10_000;
const RANGE = /^(\d{1,9})(?:-(\d{1,9}))?$/;
const INSTANT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?) ?(Z|[+-]\d\d:\d\d)?$/;

/** As it is typed. */
export interface Draft {
  /** Numbers and ranges: `3, 5, 7-9`. */
  readonly items: string;
  /** One a line: `2026-11-22 02:00`, of this device's zone, or with an offset or `Z`. */
  readonly fireTimes: string;
  readonly anyTime: boolean;
}

/** Reason that keeps a draft from being asked for. `fireTime`: a line that is no instant, or not one alone. */
export type ChoiceFault = 'items' | 'no-fire-time' | 'fireTime' | 'many-fire-times' | 'many-targets';

/** A draft as the API takes it. */
export interface RerunChoice {
  /** Ascending. */
  readonly items: readonly number[];
  /** ISO 8601, ascending. */
  readonly fireTimes: readonly string[];
  readonly anyTime?: true;
}

export interface Judged {
  readonly choice: RerunChoice | undefined;
  readonly fault: ChoiceFault | undefined;
  /** The line that is wrong, of a `fireTime`. */
  readonly line?: string;
}

/** @param fireTimes ISO 8601 */
export function draftOf(items: readonly number[], fireTimes: readonly string[]): Draft {
  return { items: itemList(items, Infinity).shown, fireTimes: fireTimes.map(lineOf).join('\n'), anyTime: false };
}

/** An instant as one can read and change it: with its offset, so that it is one alone also in a clock change. */
function lineOf(fireTime: string): string {
  const at = Date.parse(fireTime);
  return at % 1_000 === 0 ? `${dateTime(at, HERE)} ${offsetAt(at, HERE)}` : new Date(at).toISOString();
}

export function judge({ anyTime, fireTimes: text, items: numbers }: Draft): Judged {
  const wrong = (fault: ChoiceFault, line?: string): Judged => ({
    choice: undefined,
    fault,
    ...(line !== undefined && { line }),
  });
  const items = itemsOf(numbers);
  if (items === undefined) return wrong('items');
  const lines = text.split(/[\n,;，；]/).map((line) => line.trim());
  const instants = new Set<number>();
  for (const line of lines.filter((one) => one !== '')) {
    const instant = instantOf(line);
    if (instant === undefined) return wrong('fireTime', line);
    instants.add(instant);
  }
  if (instants.size === 0) return wrong('no-fire-time');
  if (instants.size > MOST_FIRE_TIMES) return wrong('many-fire-times');
  if (instants.size * items.length > MOST_TARGETS) return wrong('many-targets');
  const fireTimes = [...instants].toSorted((a, b) => a - b).map((instant) => new Date(instant).toISOString());
  return { choice: { items, fireTimes, ...(anyTime && { anyTime }) }, fault: undefined };
}

/**
 * The draft with a fire time of the schedule in the place of the one that it lacks, which is between its neighbours.
 * @param by one of the neighbours
 */
export function replaced(
  draft: Draft,
  { after, before }: { readonly before: string | null; readonly after: string | null },
  by: string,
): Draft {
  const { fireTimes } = judge(draft).choice ?? { fireTimes: [] };
  const isBetween = (at: number) =>
    (before === null || at > Date.parse(before)) && (after === null || at < Date.parse(after));
  const kept = fireTimes.map((fireTime) => (isBetween(Date.parse(fireTime)) ? by : fireTime));
  return { ...draft, fireTimes: [...new Set(kept)].map(lineOf).join('\n') };
}

function itemsOf(text: string): readonly number[] | undefined {
  const items = new Set<number>();
  const parts = text.trim().replaceAll(/\s*[-–]\s*/g, '-');
  for (const part of parts.split(/[\s,，、]+/)) {
    const [, from, to = from] = RANGE.exec(part) ?? [];
    const [first, last] = [Number(from ?? NaN), Number(to ?? NaN)];
    if (!(first <= last) || last - first >= MOST_TARGETS) return undefined;
    for (let item = first; item <= last; item += 1) items.add(item);
  }
  return [...items].toSorted((a, b) => a - b);
}

/** Undefined for what is no instant, and for a local time that a clock change leaves out or has twice. */
function instantOf(line: string): number | undefined {
  const [, day, time, offset] = INSTANT.exec(line) ?? [];
  const at = Date.parse(`${day}T${time}${offset ?? ''}`);
  if (Number.isNaN(at)) return undefined;
  if (offset !== undefined) return at;
  const local = dateTime(at, HERE);
  const isTwice = [-HOUR_MS, HOUR_MS].some((shift) => dateTime(at + shift, HERE) === local);
  return isTwice || !`${local}.`.startsWith(`${day} ${time}`.replace(/\.\d+$/, '')) ? undefined : at;
}
