import { javaJobs } from './measures/java.js';
import { resharding, virtualTriggers } from './measures/computed.js';
import { due, overload, restedWrites, spread, writes } from './measures/latency.js';
import type { Measurement } from './measures/measurement.js';
import { added, dynamic, rest } from './measures/rest.js';
import type { Wanted } from './verdict.js';

/** Measurements of each round, in this order. Several rows may read one measurement. */
export const MEASUREMENTS = {
  writes,
  restedWrites,
  due100: due({ jobs: 100 }),
  java100: javaJobs(100),
  due1000: due({ jobs: 1_000 }),
  instant1000: due({ jobs: 1_000, everySeconds: 3 }),
  items2000: due({ jobs: 200, items: 10 }),
  spread1000: spread(1_000, 100),
  rest1000: rest(1_000),
  rest10000: rest(10_000),
  added200: added(200),
  triggers: virtualTriggers(10_000),
  dynamic1000: dynamic(1_000, 3),
  resharding: resharding({ instances: 100, jobs: 10, items: 1_000 }),
  overload: overload(99, 1_000),
} satisfies Readonly<Record<string, Measurement>>;

export type MeasurementName = keyof typeof MEASUREMENTS;

/** In the order of the measurements. */
export const MEASUREMENT_NAMES = Object.keys(MEASUREMENTS).filter(isMeasurementName);

function isMeasurementName(name: string): name is MeasurementName {
  return name in MEASUREMENTS;
}

/** A busy machine makes `time` unusable. `--quick` judges `cpu` and `requests`. */
type RowKind = 'time' | 'cpu' | 'requests' | 'memory';

/** A line of the table. */
export interface Row {
  /** Several rows may share one, by which `--rows` selects them. */
  readonly letter: string;
  readonly title: string;
  /** `speed`: that of the processors, which is watched beside all others. */
  readonly measurement: MeasurementName | 'speed';
  readonly figure: string;
  readonly unit: string;
  readonly kind: RowKind;
  readonly wanted: Wanted;
}

/** Rows of one letter. Each entry: title, figure, unit, kind, and the wanted limit. */
function rows(
  letter: string,
  measurement: MeasurementName,
  ...entries: readonly (readonly [string, string, string, RowKind, number | Wanted])[]
): readonly Row[] {
  return entries.map(([title, figure, unit, kind, wanted]) => ({
    letter,
    measurement,
    title,
    figure,
    unit,
    kind,
    wanted: typeof wanted === 'number' ? { kind: 'at most', value: wanted } : wanted,
  }));
}

const NONE: Wanted = { kind: 'none' };
const ALL: Wanted = { kind: 'at least', value: 100 };

export const ROWS: readonly Row[] = [
  ...rows(
    'a',
    'due100',
    ['100 jobs due each second: lateness, p50', 'p50', 'ms', 'time', 12],
    ['100 jobs due each second: lateness, p99', 'p99', 'ms', 'time', 30],
    ['100 jobs due each second: due runs done', 'donePercent', '%', 'time', ALL],
  ),
  ...rows('a', 'java100', ['Java: 100 jobs due each second: due runs done', 'donePercent', '%', 'time', NONE]),
  ...rows(
    'b',
    'due1000',
    ['1,000 jobs due each second: lateness, p50', 'p50', 'ms', 'time', 80],
    ['1,000 jobs due each second: lateness, p99', 'p99', 'ms', 'time', 160],
    ['1,000 jobs due each second: CPU of one core', 'corePercent', '%', 'time', 27],
  ),
  ...rows('c', 'items2000', ['200 jobs of 10 items due each second: lateness, p99', 'p99', 'ms', 'time', 80]),
  ...rows(
    'd',
    'spread1000',
    ['1,000 jobs spread over each second: lateness, p99', 'p99', 'ms', 'time', NONE],
    ['... beyond the p99 of two bare writes', 'beyondTwoWrites', 'ms', 'time', 5],
  ),
  ...rows('e', 'instant1000', ['requests for 1,000 triggers of one instant', 'requestsOfInstant', '', 'requests', 100]),
  ...rows('f', 'rest1000', ['start of 1,000 jobs', 'startS', 's', 'time', 2]),
  ...rows('f', 'rest10000', ['start of 10,000 jobs', 'startS', 's', 'time', 15]),
  ...rows('g', 'added200', ['200 jobs added one after the other', 'addS', 's', 'time', 2]),
  ...rows('h', 'rest1000', ['live heap of a job at rest', 'heapOfJobKb', 'KB', 'memory', 25]),
  ...rows('i', 'rest1000', ['RSS above the empty process: 1,000 jobs', 'rssMb', 'MB', 'memory', 120]),
  ...rows('i', 'rest10000', ['RSS above the empty process: 10,000 jobs', 'rssMb', 'MB', 'memory', 500]),
  ...rows('j', 'triggers', ['CPU of a trigger of one item, embedded', 'cpuOfTriggerUs', 'µs', 'cpu', 250]),
  ...rows('j', 'instant1000', ['CPU of a trigger of one item, ZooKeeper', 'cpuOfTriggerUs', 'µs', 'cpu', 250]),
  ...rows(
    'k',
    'dynamic1000',
    ['1,000 jobs created, joined by three instances, removed', 'allS', 's', 'time', 60],
    ['... of that, to create them one after the other', 'createS', 's', 'time', NONE],
    ['... of that, until all instances have joined all', 'joinS', 's', 'time', NONE],
  ),
  ...rows(
    'l',
    'resharding',
    ['10 jobs of 1,000 items over 100 simulated instances, resharded: virtual time', 'virtualMs', 'ms', 'time', 1_000],
    ['... and CPU of all of them together', 'computedMs', 'ms', 'cpu', 1_000],
  ),
  ...rows('m', 'overload', ['99 small jobs beside one of 1,000 items: p99 later by', 'delay', 'ms', 'time', 100]),
];

/** Letters for `--rows`. */
export const LETTERS: readonly string[] = [...new Set(ROWS.map(({ letter }) => letter))];

/** Left out by `--quick`, as are the rows of times: starting that many instances takes too long. */
const LONG: readonly Row['measurement'][] = ['resharding'];

export function chooseRows(letters: readonly string[] | undefined, isQuick: boolean): readonly Row[] {
  return ROWS.filter(
    ({ letter, kind, measurement }) =>
      (letters === undefined || letters.includes(letter)) &&
      (!isQuick || ((kind === 'cpu' || kind === 'requests') && !LONG.includes(measurement))),
  );
}
