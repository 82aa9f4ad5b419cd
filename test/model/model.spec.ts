import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { actionsOf, functionsIn, MODEL, nameAt, type StandsFor, standsForIn } from './actions.js';

const model = readFileSync(MODEL, 'utf8');

describe('the model names the library', () => {
  it('given its actions, when they are read, then each names its functions or is the world', () => {
    const actions = actionsOf(model);
    expect(actions.length).toBeGreaterThan(20);
    const silent = actions.filter(({ standsFor, isWorld, isPart }) => standsFor.length === 0 && !isWorld && !isPart);
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it(
    'given the functions that it names, when the sources are read, then all of them are there',
    { timeout: 60_000 },
    () => {
      const named = standsForIn(model);
      expect(named.length).toBeGreaterThan(20);
      expect(named.filter((one) => !exists(one)).map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
    },
  );

  it('given a function that is gone, when it is looked for, then it is missed', () => {
    const file = 'libs/elastic-job/src/domain/run/begin.decision.ts';
    expect(exists({ name: 'decideBegin', file })).toBe(true);
    expect(exists({ name: 'decideNothing', file })).toBe(false);
    expect(exists({ name: 'decideBegin', file: `${file}.gone` })).toBe(false);
  });

  it('given a line of an action, when its name is asked for, then it is that of the inline around it', () => {
    const [action] = actionsOf(model);
    expect(nameAt(model, action!.line + 1)).toBe(action!.name);
  });
});

function exists({ name, file }: StandsFor): boolean {
  return existsSync(file) && functionsIn(file, readFileSync(file, 'utf8')).has(name);
}
