import { describe, expect, it } from 'vitest';
import type { Growth } from './growth.js';
import { drawGrowth } from './growth-plots.js';

function growth(bareMs: number): Growth {
  const series = { due: [], rest: [], items: [], instances: [] };
  const due = [
    { size: 10, figures: { p99: 5, p50: 1, requestsOfInstant: 30 } },
    { size: 100, figures: { p99: null, p50: 2, requestsOfInstant: 300 } },
  ];
  return { note: 'today', bare: { p99: bareMs }, series: { ...series, due } };
}

function plotOf(name: string, of: Growth): string | undefined {
  return drawGrowth(of).find((plot) => plot.name === name)?.svg;
}

describe('plots of how figures grow', () => {
  it('show each size, but for figures that could not be measured', () => {
    const svg = plotOf('lateness-by-jobs', growth(1))!;

    expect(svg.match(/<circle/g)).toHaveLength(3);
  });

  it('show no times of a busy machine, but what it does not change', () => {
    expect(plotOf('lateness-by-jobs', growth(3.1))).toBeUndefined();
    expect(plotOf('requests-by-jobs', growth(3.1))).toContain('<circle');
  });
});
