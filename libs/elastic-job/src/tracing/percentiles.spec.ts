import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { addHistogram, percentilesOf, percentilesOfHistogram } from './percentiles.js';

/** The first bucket whose end is above the value. */
function bucketOf(ms: number): number {
  let bucket = 0;
  while (1.05 ** bucket <= ms) bucket += 1;
  return bucket;
}

it('there are no percentiles without values', () => {
  expect(percentilesOf([])).toBeUndefined();
  expect(percentilesOfHistogram(new Map(), 0)).toBeUndefined();
  expect(percentilesOfHistogram(new Map([[3, 0]]), 0)).toBeUndefined();
});

it('percentiles of values are values, the greatest one among them', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);

  expect(percentilesOf(values)).toEqual({ p50: 100, p95: 190, p99: 198, max: 200 });
  expect(percentilesOf([7])).toEqual({ p50: 7, p95: 7, p99: 7, max: 7 });
});

it('percentiles of a histogram are within a twentieth of those of its values', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 10_000_000 }), { minLength: 1, maxLength: 200 }), (values) => {
      const histogram = new Map<number, number>();
      for (const ms of values) histogram.set(bucketOf(ms), (histogram.get(bucketOf(ms)) ?? 0) + 1);

      const exact = percentilesOf(values)!;
      const found = percentilesOfHistogram(histogram, exact.max)!;

      for (const name of ['p50', 'p95', 'p99', 'max'] as const) {
        // Milliseconds are whole.
        expect(Math.abs(found[name] - exact[name])).toBeLessThanOrEqual(exact[name] / 20 + 0.5);
      }
    }),
    { seed: 55 },
  );
});

it.each(['broken', 'null', '{"a":1,"2.5":1,"3":"4"}', '7'])(
  'a histogram that cannot be read counts nothing: %s',
  (json) => {
    const sum = new Map([[3, 1]]);

    addHistogram(sum, json);

    expect(sum).toEqual(new Map([[3, 1]]));
  },
);

it('histograms add up', () => {
  const sum = new Map<number, number>();

  for (const json of ['{"0":2,"40":1}', '{"40":3}']) addHistogram(sum, json);

  expect(sum).toEqual(
    new Map([
      [0, 2],
      [40, 4],
    ]),
  );
});
