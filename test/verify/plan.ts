import { createHash } from 'node:crypto';
import type { Suite } from '../suites.js';
import type { Verdicts } from './verdicts.js';

export interface Decision {
  readonly kind: 'run' | 'trusted';
  readonly suite: Suite;
  readonly why: string;
}

/** Digests of inputs, by the names of suites. */
export type Digests = ReadonlyMap<string, string>;

/** Compares the digests of today with those of the last green runs. */
export function decide(suites: readonly Suite[], digests: Digests, verdicts: Verdicts): readonly Decision[] {
  return suites.map((suite) => {
    const verdict = verdicts[suite.name];
    if (verdict === undefined) return runs(suite, 'it has no verdict');
    if (verdict.digest === digests.get(suite.name)) return trusts(suite, `trusted since ${verdict.date}`);
    return runs(suite, `inputs changed since ${verdict.date}`);
  });
}

export function trusts(suite: Suite, why: string): Decision {
  return { kind: 'trusted', suite, why };
}

export function runs(suite: Suite, why: string): Decision {
  return { kind: 'run', suite, why };
}

/**
 * The suites of .ci/run: those that are always run, those without a valid verdict, and then some of the rest, so that
 * no verdict is believed for long.
 * @param chance such as a commit's id: the same draws the same
 * @param mostSeconds time for what is drawn, by its usual seconds; the first one is taken in any case
 */
export function addDrawn(decisions: readonly Decision[], chance: string, mostSeconds: number): readonly Decision[] {
  const always = decisions.map((one) => (one.suite.always && one.kind === 'trusted' ? runs(one.suite, 'always') : one));
  const trusted = always.filter(({ kind }) => kind === 'trusted').map(({ suite }) => suite);
  const drawn = draw(trusted, chance, mostSeconds);
  const others = always.filter(({ suite }) => !drawn.includes(suite));
  return [...others, ...drawn.map((suite) => runs(suite, 'drawn by the commit'))];
}

function draw(trusted: readonly Suite[], chance: string, mostSeconds: number): readonly Suite[] {
  const order = ({ name }: Suite) => createHash('sha256').update(`${chance} ${name}`).digest('hex');
  let left = mostSeconds;
  return trusted
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
    .filter(({ seconds }, index) => {
      const isTaken = index === 0 || seconds <= left;
      if (isTaken) left -= seconds;
      return isTaken;
    });
}

/** Adds what suites that run take from the suite `build`. */
export function addNeeded(decisions: readonly Decision[], all: readonly Suite[]): readonly Decision[] {
  const needs = decisions.some(({ kind, suite }) => kind === 'run' && suite.needs?.includes('build'));
  const isThere = decisions.some(({ kind, suite }) => kind === 'run' && suite.name === 'build');
  if (!needs || isThere) return decisions;
  const build = all.find(({ name }) => name === 'build')!;
  return [runs(build, 'others need what it writes'), ...decisions.filter(({ suite }) => suite !== build)];
}

/** Names of verdicts that no suite has: lines that are left over, or of a suite that was lost. */
export function unknownVerdicts(suites: readonly Suite[], verdicts: Verdicts): readonly string[] {
  const names = new Set(suites.map(({ name }) => name));
  return Object.keys(verdicts).filter((name) => !names.has(name));
}
