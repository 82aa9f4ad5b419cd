import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { actionsOf, functionsIn, MODEL, nameAt, type StandsFor, standsForIn } from './actions.js';

const model = readFileSync(MODEL, 'utf8');

describe('the model names the library', () => {
  it('has functions or the environment for each action', () => {
    const actions = actionsOf(model);
    expect(actions.length).toBeGreaterThan(20);
    const silent = actions.filter(({ standsFor, isWorld, isPart }) => standsFor.length === 0 && !isWorld && !isPart);
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('names only functions that the sources have', { timeout: 60_000 }, () => {
    const named = standsForIn(model);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((one) => !exists(one)).map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
  });

  it('notices a function that is gone', () => {
    const file = 'libs/elastic-job/src/domain/run/begin.decision.ts';
    expect(exists({ name: 'decideBegin', file })).toBe(true);
    expect(exists({ name: 'decideNothing', file })).toBe(false);
    expect(exists({ name: 'decideBegin', file: `${file}.gone` })).toBe(false);
  });

  it('finds the name of the inline around a line', () => {
    const [action] = actionsOf(model);
    expect(nameAt(model, action!.line + 1)).toBe(action!.name);
  });
});

function exists({ name, file }: StandsFor): boolean {
  return existsSync(file) && functionsIn(file, readFileSync(file, 'utf8')).has(name);
}
