import { expect } from 'vitest';
import type { TestRun } from '../../../libs/elastic-job/src/testing/index.js';

/** The end of a run, as everybody but a dead instance sees it. */
export type EndOf = (run: TestRun) => number;

/** The instant at which each dead instance died, by index. */
export function endsWith(deaths: ReadonlyMap<number, number>): EndOf {
  return ({ instance, endedAt }) => endedAt ?? deaths.get(instance) ?? Infinity;
}

/** No item is run by two living holders at the same time. */
export function expectNoOverlap(runs: readonly TestRun[], endOf: EndOf): void {
  for (const [before, next] of successions(runs)) {
    expect(next.startedAt, `item ${next.item} ran twice at once`).toBeGreaterThanOrEqual(endOf(before));
  }
}

/** Each run of an item has a greater token than the one before it. */
export function expectGrowingTokens(runs: readonly TestRun[]): void {
  for (const [before, next] of successions(runs)) expect(next.token!).toBeGreaterThan(before.token!);
}

/**
 * A fire time of an item is run once, except by failovers. A failover may be the first run that a handler sees, since
 * the instance may have died between the begin and its handler.
 */
export function expectOncePerTarget(runs: readonly TestRun[]): void {
  const seen = new Set<string>();
  for (const { item, fireTime, source } of runs) {
    const target = `item ${item} for ${new Date(fireTime).toISOString()}`;
    if (source !== 'FAILOVER' && seen.has(target)) throw new Error(`A ${source} ran ${target} once more.`);
    seen.add(target);
  }
}

export function itemsOf(runs: readonly TestRun[]): number[] {
  return runs.map(({ item }) => item).toSorted((a, b) => a - b);
}

export function ascending(a: number, b: number): number {
  return a - b;
}

/** The numbers 0..count-1. */
export function range(count: number): number[] {
  return [...Array(count).keys()];
}

/** Each run with the next one of its item, in the order of their begins. */
function successions(runs: readonly TestRun[]): (readonly [TestRun, TestRun])[] {
  const last = new Map<number, TestRun>();
  const pairs: (readonly [TestRun, TestRun])[] = [];
  for (const run of runs) {
    const before = last.get(run.item);
    if (before !== undefined) pairs.push([before, run]);
    last.set(run.item, run);
  }
  return pairs;
}
