import { availableParallelism, loadavg } from 'node:os';
import { resharding } from '../measures/computed.js';
import { due, writes } from '../measures/latency.js';
import type { Figures, Measurement } from '../measures/measurement.js';
import { rest } from '../measures/rest.js';
import { Stage } from '../stage.js';

/** Time for which jobs are watched at each point, in seconds. */
const SECONDS = 5;

/** A growing quantity, and the sizes at which it is measured. */
const SERIES = {
  /** Jobs of one item that are due each second. */
  due: { sizes: [10, 30, 100, 300, 1_000], measure: (jobs) => due({ jobs }) },
  /** Jobs that rest. */
  rest: { sizes: [100, 300, 1_000, 3_000, 10_000], measure: rest },
  /** Items of each of 30 jobs that are due each second. */
  items: { sizes: [1, 3, 10, 30], measure: (items) => due({ jobs: 30, items }) },
  /** Simulated instances that share 10 jobs of 1,000 items, one of which leaves. */
  instances: {
    sizes: [2, 5, 10, 20, 50, 100],
    measure: (instances) => resharding({ instances, jobs: 10, items: 1_000 }),
  },
} satisfies Readonly<
  Record<string, { readonly sizes: readonly number[]; readonly measure: (size: number) => Measurement }>
>;

export type SeriesName = keyof typeof SERIES;

/** The figures of one size. */
interface Sample {
  readonly size: number;
  /** Null, as JSON writes it, if due runs were not done. */
  readonly figures: Readonly<Record<string, number | null>>;
}

/** The file `docs/performance/growth.json`. */
export interface Growth {
  /** Place and date of the measurement, as text. */
  readonly note: string;
  /** Of bare writes on the idle server, in milliseconds. */
  readonly bare: Figures;
  readonly series: Readonly<Record<SeriesName, readonly Sample[]>>;
}

/** Measures each series once. */
export async function measureGrowth(): Promise<Growth> {
  const [load] = loadavg();
  const stage = await Stage.open(SECONDS);
  try {
    const bare = await writes(stage);
    const series = {
      due: await measureSeries(stage, 'due'),
      rest: await measureSeries(stage, 'rest'),
      items: await measureSeries(stage, 'items'),
      instances: await measureSeries(stage, 'instances'),
    };
    const host = `Node ${process.versions.node}, ${availableParallelism()} cores, load ${load!.toFixed(1)} before`;
    const p99 = `a bare write: ${bare['p99']!.toFixed(1)} ms p99`;
    return { note: `${new Date().toISOString().slice(0, 10)}, ${host}; ${p99}`, bare, series };
  } finally {
    await stage.close();
  }
}

async function measureSeries(stage: Stage, name: SeriesName): Promise<readonly Sample[]> {
  const { sizes, measure } = SERIES[name];
  const samples: Sample[] = [];
  for (const size of sizes) {
    console.error(`${name}: ${size} ...`);
    samples.push({ size, figures: await measure(size)(stage).catch(tellFailure) });
  }
  return samples;
}

/** A size that cannot be measured here has no point in the plots. */
function tellFailure(error: unknown): Figures {
  console.error(error);
  return {};
}
