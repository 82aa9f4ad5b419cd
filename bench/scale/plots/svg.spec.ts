import { describe, expect, it } from 'vitest';
import { axisOf, type Plot, plotSvg } from './svg.js';

const PLOT: Plot = {
  title: 'Requests & jobs',
  xLabel: 'jobs',
  yLabel: 'requests',
  note: 'measured today',
  lines: [{ name: 'p99', points: [{ x: 1, y: 10 }] }],
};

function circlesOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => `${x},${y}`);
}

describe('axis', () => {
  it('reaches from the power of ten below the values to the one above', () => {
    expect(axisOf([3, 250])).toEqual({ from: 1, to: 1_000 });
    expect(axisOf([0.02, 0.3])).toEqual({ from: 0.01, to: 1 });
  });

  it('is a decade long at least, also without values', () => {
    expect(axisOf([10])).toEqual({ from: 10, to: 100 });
    expect(axisOf([])).toEqual({ from: 1, to: 10 });
  });
});

describe('plot', () => {
  it('has title, labels, legend and note, with what XML would take for itself escaped', () => {
    const svg = plotSvg(PLOT);

    for (const words of ['Requests &amp; jobs', 'jobs', 'requests', 'p99', 'measured today']) {
      expect(svg).toContain(`>${words}</text>`);
    }
  });

  it('puts equal ratios at equal distances, from the lower left to the upper right', () => {
    const points = [
      { x: 1, y: 1 },
      { x: 10, y: 10 },
      { x: 100, y: 100 },
    ];

    expect(circlesOf(plotSvg({ ...PLOT, lines: [{ name: 'a', points }] }))).toEqual([
      '80.0,340.0',
      '320.0,195.0',
      '560.0,50.0',
    ]);
  });

  it('draws each line through its points in the order of x', () => {
    const points = [
      { x: 10, y: 1 },
      { x: 1, y: 10 },
    ];

    expect(plotSvg({ ...PLOT, lines: [{ name: 'a', points }] })).toContain('points="80.0,50.0 560.0,340.0"');
  });

  it('leaves out what could not be measured', () => {
    const points = [
      { x: 1, y: 1 },
      { x: 10, y: Infinity },
      { x: 100, y: NaN },
      { x: 0, y: 5 },
    ];

    expect(circlesOf(plotSvg({ ...PLOT, lines: [{ name: 'a', points }] }))).toHaveLength(1);
  });
});
