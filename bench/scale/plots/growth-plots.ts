import type { Growth, SeriesName } from './growth.js';
import { plotSvg } from './svg.js';

/** A plot of figures of one series. */
interface GrowthPlot {
  readonly title: string;
  readonly series: SeriesName;
  readonly xLabel: string;
  readonly yLabel: string;
  /** What each line is called, and the figure that it shows. */
  readonly lines: Readonly<Record<string, string>>;
}

const DUE_JOBS = 'jobs of one item, due each second';
const RESTING_JOBS = 'jobs at rest';
const ITEMS = 'items of each of 30 jobs, due each second';

/** By the name of the file. */
const GROWTH_PLOTS: Readonly<Record<string, GrowthPlot>> = {
  'lateness-by-jobs': {
    title: 'Lateness',
    series: 'due',
    xLabel: DUE_JOBS,
    yLabel: 'ms',
    lines: { p50: 'p50', p99: 'p99' },
  },
  'cpu-by-jobs': {
    title: 'Processor time of a trigger',
    series: 'due',
    xLabel: DUE_JOBS,
    yLabel: 'µs',
    lines: { 'per trigger': 'cpuOfTriggerUs' },
  },
  'requests-by-jobs': {
    title: 'Requests of one due instant',
    series: 'due',
    xLabel: DUE_JOBS,
    yLabel: 'requests',
    lines: { requests: 'requestsOfInstant' },
  },
  'start-by-jobs': {
    title: 'Start of a process',
    series: 'rest',
    xLabel: RESTING_JOBS,
    yLabel: 's',
    lines: { 'all planned': 'startS' },
  },
  'memory-by-jobs': {
    title: 'Memory above the empty process',
    series: 'rest',
    xLabel: RESTING_JOBS,
    yLabel: 'MB',
    lines: { RSS: 'rssMb' },
  },
  'lateness-by-items': {
    title: 'Lateness',
    series: 'items',
    xLabel: ITEMS,
    yLabel: 'ms',
    lines: { p50: 'p50', p99: 'p99' },
  },
  'requests-by-items': {
    title: 'Requests of one due instant',
    series: 'items',
    xLabel: ITEMS,
    yLabel: 'requests',
    lines: { requests: 'requestsOfInstant' },
  },
  'resharding-by-instances': {
    title: '10 jobs of 1,000 items, resharded',
    series: 'instances',
    xLabel: 'simulated instances',
    yLabel: 'ms',
    lines: { 'virtual time': 'virtualMs', 'CPU of all': 'computedMs' },
  },
};

/** The text of each SVG file, by its name without the ending. */
export function drawGrowth({ note, series }: Growth): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(GROWTH_PLOTS).map(([name, { lines, series: ofPlot, ...labels }]) => {
      const drawn = Object.entries(lines).map(([lineName, figure]) => ({
        name: lineName,
        points: series[ofPlot].map(({ size, figures }) => ({ x: size, y: figures[figure] ?? NaN })),
      }));
      return [name, plotSvg({ ...labels, note, lines: drawn })];
    }),
  );
}
