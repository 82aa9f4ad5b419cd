import { CitiesSource } from '../cities/cities.source.js';
import { summarize, type CountryStatistics } from '../cities/country-statistics.js';

/** Compares the statistics with the data set itself. @returns one line per country that differs */
export function findMiscounts(
  counted: readonly CountryStatistics[],
  expected: readonly CountryStatistics[] = summarize(new CitiesSource().all),
): string[] {
  const [are, shouldBe] = [describe(counted), describe(expected)];
  return [...new Set([...are.keys(), ...shouldBe.keys()])]
    .filter((country) => are.get(country) !== shouldBe.get(country))
    .map((country) => `${country}: ${are.get(country) ?? 'missing'}, should be ${shouldBe.get(country) ?? 'missing'}`);
}

/** A text for each country. */
function describe(statistics: readonly CountryStatistics[]): ReadonlyMap<string, string> {
  return new Map(
    statistics.map(({ country, cities, population }) => [country, `${cities} cities with ${population} inhabitants`]),
  );
}
