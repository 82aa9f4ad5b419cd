import { isQuiet } from '../verdict.js';
import type { Growth, SeriesName } from './growth.js';
import { plotSvg } from './svg.js';

/** A plot of the figures of one series. */
interface GrowthPlot {
  readonly title: string;
  readonly series: SeriesName;
  readonly xLabel: string;
  readonly yLabel: string;
  /** True for a time, which a busy machine changes. */
  readonly isTime: boolean;
  /** Figure of each line, by the line's name. */
  readonly lines: Readonly<Record<string, string>>;
}

const DUE_JOBS = 'jobs of one item, due each second';
const RESTING_JOBS = 'jobs at rest';
const ITEMS = 'items of each of 30 jobs, due each second';

/** Plots by the names of their files. */
const GROWTH_PLOTS: Readonly<Record<string, GrowthPlot>> = {
  'lateness-by-jobs': {
    title: 'Lateness',
    series: 'due',
    xLabel: DUE_JOBS,
    yLabel: 'ms',
    isTime: true,
    lines: { p50: 'p50', p99: 'p99' },
  },
  'cpu-by-jobs': {
    title: 'Processor time of a trigger',
    series: 'due',
    xLabel: DUE_JOBS,
    yLabel: 'µs',
    isTime: false,
    lines: { 'per trigger': 'cpuOfTriggerUs' },
  },
  'requests-by-jobs': {
    title: 'Requests of one due instant',
    series: 'due',
    xLabel: DUE_JOBS,
    yLabel: 'requests',
    isTime: false,
    lines: { requests: 'requestsOfInstant' },
  },
  'start-by-jobs': {
    title: 'Start of a process',
    series: 'rest',
    xLabel: RESTING_JOBS,
    yLabel: 's',
    isTime: true,
    lines: { 'all planned': 'startS' },
  },
  'memory-by-jobs': {
    title: 'Memory above the empty process',
    series: 'rest',
    xLabel: RESTING_JOBS,
    yLabel: 'MB',
    isTime: false,
    lines: { RSS: 'rssMb' },
  },
  'lateness-by-items': {
    title: 'Lateness',
    series: 'items',
    xLabel: ITEMS,
    yLabel: 'ms',
    isTime: true,
    lines: { p50: 'p50', p99: 'p99' },
  },
  'requests-by-items': {
    title: 'Requests of one due instant',
    series: 'items',
    xLabel: ITEMS,
    yLabel: 'requests',
    isTime: false,
    lines: { requests: 'requestsOfInstant' },
  },
  'resharding-by-instances': {
    title: '10 jobs of 1,000 items, resharded',
    series: 'instances',
    xLabel: 'simulated instances',
    yLabel: 'ms',
    isTime: false,
    lines: { 'virtual time': 'virtualMs', 'CPU of all': 'computedMs' },
  },
};

/** An SVG file that is to be written. */
export interface DrawnPlot {
  /** Without the extension. */
  readonly name: string;
  /** In words. */
  readonly title: string;
  readonly svg: string;
}

/** Draws a measurement. Times of a busy machine are left out. */
export function drawGrowth({ note, bare, series }: Growth): readonly DrawnPlot[] {
  const isValid = isQuiet([bare['p99']!]);
  return Object.entries(GROWTH_PLOTS)
    .filter(([, { isTime }]) => isValid || !isTime)
    .map(([name, { lines, series: ofPlot, title, xLabel, yLabel }]) => {
      const drawn = Object.entries(lines).map(([lineName, figure]) => ({
        name: lineName,
        points: series[ofPlot].map(({ size, figures }) => ({ x: size, y: figures[figure] ?? NaN })),
      }));
      const svg = plotSvg({ title, xLabel, yLabel, note, lines: drawn });
      return { name, title: `${title}: ${xLabel}`, svg };
    });
}
