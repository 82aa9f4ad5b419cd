import { describe, expect, it } from 'vitest';
import type { Suite } from '../suites.js';
import { addDrawn, addNeeded, decide, type Decision, unknownVerdicts } from './plan.js';

const suite = (name: string, more: Partial<Suite> = {}): Suite => ({
  name,
  shows: '',
  command: 'true',
  seconds: 100,
  ...more,
});
const verdict = (digest: string) => ({ digest, date: '2026-11-28', seconds: 90 });
const trusted = (...suites: readonly Suite[]): readonly Decision[] =>
  suites.map((one) => ({ kind: 'trusted', suite: one, why: 'trusted since 2026-11-28' }));
const running = (decisions: readonly Decision[]) =>
  decisions.filter(({ kind }) => kind === 'run').map(({ suite: { name } }) => name);

describe('decide', () => {
  const suites = [suite('old'), suite('new'), suite('changed')];
  const digests = new Map([
    ['old', 'same'],
    ['new', 'x'],
    ['changed', 'now'],
  ]);
  const decisions = decide(suites, digests, { old: verdict('same'), changed: verdict('then') });

  it('runs suites without a verdict, and those whose inputs have changed', () => {
    expect(running(decisions)).toEqual(['new', 'changed']);
  });

  it('says why a suite runs, or since when it is trusted', () => {
    expect(decisions.map(({ why }) => why)).toEqual([
      'trusted since 2026-11-28',
      'it has no verdict',
      'inputs changed since 2026-11-28',
    ]);
  });
});

describe('addDrawn', () => {
  const suites = Array.from({ length: 20 }, (_, n) => suite(`suite-${n}`));

  it('draws trusted suites for the given time', () => {
    expect(running(addDrawn(trusted(...suites), 'a commit', 480))).toHaveLength(4);
  });

  it('draws the same for the same commit, and others for others', () => {
    const drawnBy = (commit: string) => running(addDrawn(trusted(...suites), commit, 480));
    expect(drawnBy('a commit')).toEqual(drawnBy('a commit'));
    expect(new Set(Array.from({ length: 60 }, (_, n) => drawnBy(`commit ${n}`)).flat()).size).toBe(20);
  });

  it('draws one suite at least, be it longer than the time', () => {
    expect(running(addDrawn(trusted(suite('long', { seconds: 900 })), 'a commit', 480))).toEqual(['long']);
  });

  it('runs what is always run, and draws besides', () => {
    const all = trusted(suite('types', { always: true, seconds: 10_000 }), suite('chaos'));
    expect(running(addDrawn(all, 'a commit', 480))).toEqual(['types', 'chaos']);
  });

  it('draws after the suites without a valid verdict', () => {
    const stale: Decision = { kind: 'run', suite: suite('stale'), why: 'it has no verdict' };
    expect(running(addDrawn([...trusted(suite('drawn')), stale], 'a commit', 480))).toEqual(['stale', 'drawn']);
  });
});

describe('addNeeded', () => {
  const build = suite('build');
  const weight = suite('weight', { needs: ['build'] });

  it('runs the build first if a suite needs what it writes', () => {
    const decisions: readonly Decision[] = [{ kind: 'run', suite: weight, why: 'asked for' }, ...trusted(build)];
    expect(running(addNeeded(decisions, [weight, build]))).toEqual(['build', 'weight']);
  });

  it('leaves the build alone if no suite that runs needs it', () => {
    expect(running(addNeeded(trusted(weight, build), [weight, build]))).toEqual([]);
  });
});

describe('unknownVerdicts', () => {
  it('names verdicts of suites that are not in the table', () => {
    expect(unknownVerdicts([suite('chaos')], { chaos: verdict('x'), lost: verdict('y') })).toEqual(['lost']);
  });
});
