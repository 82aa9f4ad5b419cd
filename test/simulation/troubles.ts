import { type Interval, remembered } from './history.js';
import type { Entry } from './log.js';

/** A disturbance of a process. */
export interface Trouble extends Interval {
  readonly what: string;
}

/** Times in which each process stood still, was cut off, was without its session, or was gone. */
export function readTroubles(entries: readonly Entry[]): ReadonlyMap<number, readonly Trouble[]> {
  const troubles = new Map<number, { what: string; from: number; to: number }[]>();
  const open = (instance: number, what: string, from: number) =>
    remembered(troubles, instance, () => []).push({ what, from, to: Infinity });
  const close = (instance: number, what: string, to: number) => {
    for (const trouble of troubles.get(instance) ?? [])
      if (trouble.what === what) trouble.to = Math.min(trouble.to, to);
  };
  // Two overlapping ones have an end each. It makes no difference which end belongs to which.
  const heal = (instance: number, what: string, to: number) => {
    const first = troubles.get(instance)?.find((trouble) => trouble.what === what && trouble.to === Infinity);
    if (first !== undefined) first.to = to;
  };
  for (const { at, ...entry } of entries) {
    if (entry.kind === 'fault' && entry.fault !== 'stray mark' && (entry.lasts || entry.fault === 'crash'))
      open(entry.instance, entry.fault, at);
    else if (entry.kind === 'healed') heal(entry.instance, entry.fault, at);
    else if (entry.kind === 'leaving') open(entry.instance, 'leaves', at);
    else if (entry.kind === 'session' && /SUSPENDED|LOST|CLOSED/.test(entry.state)) open(entry.instance, 'session', at);
    else if (entry.kind === 'session') close(entry.instance, 'session', at);
    else if (entry.kind === 'calm') {
      for (const [instance, all] of troubles)
        for (const { what } of all) if (/cut|pause|answered/.test(what)) close(instance, what, at);
    }
  }
  return troubles;
}

export function overlaps(a: Interval, b: Interval): boolean {
  return a.from <= b.to && a.to >= b.from;
}
