import { expect, it } from 'vitest';
import { findMiscounts } from './miscounts.js';

const japan = { country: 'JP', cities: 2, population: 1_818_353 };
const peru = { country: 'PE', cities: 1, population: 400_000 };

it('reports nothing if the statistics match the data set, in whichever order', () => {
  expect(findMiscounts([japan, peru], [peru, japan])).toEqual([]);
});

it('reports a country counted twice, one left out and one made up', () => {
  const twice = { ...japan, cities: 4 };
  const madeUp = { country: 'XX', cities: 1, population: 1 };

  expect(findMiscounts([twice, madeUp], [japan, peru])).toEqual([
    'JP: 4 cities with 1818353 inhabitants, should be 2 cities with 1818353 inhabitants',
    'XX: 1 cities with 1 inhabitants, should be missing',
    'PE: missing, should be 1 cities with 400000 inhabitants',
  ]);
});
