import type { City } from './cities.source.js';

/** The result: one row per country. */
export interface CountryStatistics {
  country: string;
  cities: number;
  population: number;
}

/** Counts cities by country, in the order of the countries. */
export function summarize(cities: readonly City[]): CountryStatistics[] {
  const byCountry = new Map<string, CountryStatistics>();
  for (const { country, population } of cities) {
    const total = byCountry.get(country) ?? { country, cities: 0, population: 0 };
    total.cities += 1;
    total.population += population;
    byCountry.set(country, total);
  }
  return [...byCountry.values()].toSorted((a, b) => (a.country < b.country ? -1 : 1));
}
