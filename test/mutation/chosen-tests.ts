import { dirname } from 'node:path';
import type { Coverage, PlannedMutant } from './plan.js';

/**
 * Limits of the tests that judge one mutant, by the time that they take without it: those beside it, those of specs
 * that have noticed other mutants of its file, and the rest. A mutant that has survived is judged again when more is
 * known about the specs.
 */
const LIMITS_MS = {
  first: { near: 10_000, learned: 3_000, others: 1_500 },
  again: { near: 0, learned: 10_000, others: 4_000 },
};
export type Round = keyof typeof LIMITS_MS;

/** Number of mutants of a file that each spec has noticed. */
export class NoticingSpecs {
  private readonly counts = new Map<string, number>();

  add(file: string, spec: string): void {
    const key = `${file} ${spec}`;
    this.counts.set(key, this.count(file, spec) + 1);
  }

  count(file: string, spec: string): number {
    return this.counts.get(`${file} ${spec}`) ?? 0;
  }
}

export interface ChosenSpec {
  readonly spec: string;
  /** Ids of its tests. */
  readonly tests: readonly string[];
  /** Usual time of these tests. */
  readonly ms: number;
  /** Usual number of times that they reach the mutant. */
  readonly hits: number;
}

/**
 * Tests that judge a mutant. Those beside it come first, then those of specs that have noticed other mutants of its
 * file, then the quickest of each other spec, the next of each, and so on. Specs have subjects, so a few tests of each
 * notice more than many of one.
 */
export function chooseTests(
  { id, file }: PlannedMutant,
  { specs, whileLoading }: Coverage,
  noticing: NoticingSpecs,
  round: Round,
): readonly ChosenSpec[] {
  const everywhere = whileLoading.includes(id);
  const folder = `/${dirname(file)}/`;
  const candidates = Object.entries(specs).flatMap(([spec, { tests, whileCollecting }]) => {
    const count = noticing.count(file, spec);
    const kind = spec.includes(folder) ? 'near' : count > 0 ? 'learned' : 'others';
    const all = everywhere || whileCollecting.includes(id);
    return Object.entries(tests)
      .filter(([, { hits }]) => all || id in hits)
      .toSorted(([, a], [, b]) => a.ms - b.ms)
      .map(([test, { ms, hits }], rank) => ({ spec, test, ms, kind, count, rank, hits: hits[id] ?? 0 }) as const);
  });
  const left = { ...LIMITS_MS[round] };
  const chosen = new Map<string, { spec: string; tests: string[]; ms: number; hits: number }>();
  const order = Object.keys(left);
  for (const { spec, test, ms, kind, hits } of candidates.toSorted(
    (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || b.count - a.count || a.rank - b.rank || a.ms - b.ms,
  )) {
    if ((left[kind] -= ms + 1) < 0) continue;
    const entry = chosen.get(spec) ?? { spec, tests: [], ms: 0, hits: 0 };
    entry.tests.push(test);
    entry.ms += ms;
    entry.hits += hits;
    chosen.set(spec, entry);
  }
  return [...chosen.values()];
}
