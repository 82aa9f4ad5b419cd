/** Places of a timeline in pixels, for both of its pictures. */
import { HERE, offsetAt } from '../text/format.js';
import { type Mark, OUTCOME_MARKS } from './marks.js';
import { placeOf, textWidth, timeTicks } from './scale.js';
import type { Bar, Timeline } from './timeline-layout.js';

export const ROW = 22;
export const HEAD = 20;
export const BAR = 13;
/** Room for the names of those that have crashed. */
const FOOT = 20;
const RIGHT = 14;
const TICK = 84;

export interface Geometry {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly height: number;
  /** Width of the names of the rows. */
  readonly label: number;
  /** Up to here most runs have ended: what follows has a narrow part of the width. `to` if that is all of it. */
  readonly knee: number;
  readonly ticks: readonly number[];
}

/** Part of the width up to the knee. */
const MAIN = 0.8;
/** A window is folded if most runs end in less than this part of it. */
const FOLDED = 0.25;

/**
 * @param longest name of a row
 * @param zone that in which the ticks are round @default that of this device
 */
export function geometryOf(timeline: Timeline, width: number, longest: string, zone = HERE): Geometry {
  const { bands, from, rows, to } = timeline;
  const label = 14 + textWidth(longest) + 6;
  const knee = kneeOf(timeline);
  const room = Math.max(1, width - label - RIGHT) * (knee < to ? MAIN : 1);
  const most = Math.max(2, Math.floor(room / TICK));
  // The name of one beside the knee would lie on that.
  const last = knee < to ? knee - ((knee - from) / room) * (TICK / 2) : to;
  const ticks = timeTicks(from, knee, most, offsetMs(offsetAt(from, zone))).filter((tick) => tick <= last);
  return { from, to, width, height: HEAD + rows.length * ROW + (bands.length > 0 ? FOOT : 6), label, knee, ticks };
}

/** A run that goes on for hours leaves no room for those of seconds. */
function kneeOf({ bars, from, to }: Timeline): number {
  const ends = bars.map((bar) => bar.to).toSorted((a, b) => a - b);
  const most = from + ((ends[Math.floor(ends.length * 0.8)] ?? to) - from) * 1.15;
  return bars.length >= 5 && most - from < (to - from) * FOLDED ? Math.max(from + 1, most) : to;
}

export function xOf({ from, knee, label, to, width }: Geometry, at: number): number {
  const right = width - RIGHT;
  const middle = knee < to ? label + (right - label) * MAIN : right;
  return at <= knee ? placeOf(at, [from, knee], [label, middle]) : placeOf(at, [knee, to], [middle, right]);
}

/** The instant at a place. @see xOf */
export function timeAt({ from, knee, label, to, width }: Geometry, x: number): number {
  const right = width - RIGHT;
  const middle = knee < to ? label + (right - label) * MAIN : right;
  return x <= middle ? placeOf(x, [label, middle], [from, knee]) : placeOf(x, [middle, right], [knee, to]);
}

/** Top of the bars of a row. */
export function yOf(row: number): number {
  return HEAD + row * ROW + (ROW - BAR) / 2;
}

/** A bar is seen, however short it is. */
export function widthOf(geometry: Geometry, { from, to }: Pick<Bar, 'from' | 'to'>): number {
  return Math.max(3, xOf(geometry, to) - xOf(geometry, from) - 1);
}

export function rowAt(y: number): number {
  return Math.floor((y - HEAD) / ROW);
}

/** A run that has taken a target over and succeeded has the colour of a move. */
export function toneOf({ outcome, run }: Bar): Mark['tone'] {
  return outcome === 'succeeded' && run.source === 'FAILOVER' ? 'move' : OUTCOME_MARKS[outcome].tone;
}

/** `+05:30` in milliseconds. */
export function offsetMs(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
