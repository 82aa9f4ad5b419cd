import Table from 'cli-table3';
import type { Figures } from './measures/measurement.js';
import type { TableOptions } from './options.js';
import { fastestOf, isSlow, MachineSpeed, slowerThan } from './machine-speed.js';
import { chooseRows, MEASUREMENT_NAMES, MEASUREMENTS, type MeasurementName, type Row } from './rows.js';
import { Stage } from './stage.js';
import { median } from './statistics.js';
import { exitCodeOf, isQuiet, type Machine, MOST_BARE_MS, type Verdict, verdictOf, type Wanted } from './verdict.js';

/** Time for which jobs are watched in each round: a multiple of all their periods. */
const SECONDS = 12;
const QUICK_SECONDS = 6;

/** The bare writes, beside which every row of times is judged. */
const BARE: Row = {
  letter: '',
  title: 'a bare write on the idle server: p99',
  measurement: 'writes',
  figure: 'p99',
  unit: 'ms',
  kind: 'time',
  wanted: { kind: 'at most', value: MOST_BARE_MS },
};

/** A machine that is slow after idle time, as each second's first job meets it. */
const RESTED: Row = {
  letter: '',
  title: 'a bare write after a second without any: p50',
  measurement: 'restedWrites',
  figure: 'p50',
  unit: 'ms',
  kind: 'time',
  wanted: { kind: 'none' },
};

/** Processors that the host lends to others as well. */
const SPEED: readonly Row[] = [
  {
    letter: '',
    title: 'a fixed piece of work, beside all measurements: at its fastest',
    measurement: 'speed',
    figure: 'fastestMs',
    unit: 'ms',
    kind: 'cpu',
    wanted: { kind: 'none' },
  },
  {
    letter: '',
    title: '... and slower than that in the middle by',
    measurement: 'speed',
    figure: 'slowerPercent',
    unit: '%',
    kind: 'cpu',
    wanted: { kind: 'none' },
  },
];

/** A row of the table as it is printed. */
export interface Judged {
  readonly row: Row;
  readonly measured: string;
  readonly wanted: string;
  readonly verdict: Verdict;
}

export interface TableResult {
  readonly judged: readonly Judged[];
  readonly exitCode: 0 | 1 | 2;
}

/** The rounds of a measurement. */
interface Rounds {
  /** Undefined for a round that failed. */
  readonly figures: (Figures | undefined)[];
  /** Times of the fixed piece of work during all of them. */
  readonly pieces: number[];
}

type Measured = ReadonlyMap<Row['measurement'], Rounds>;

/** Measures in interleaved rounds, and judges the medians. */
export async function measureTable({ isQuick, rows: letters, rounds }: TableOptions): Promise<TableResult> {
  const rows = chooseRows(letters, isQuick);
  const measured = withSpeed(await measureRounds(namesFor(rows), rounds, isQuick));
  const shown = measured.has('writes') ? [BARE, RESTED, ...SPEED, ...rows] : [...SPEED, ...rows];
  const judged = shown.map((row) => judge(row, measured));
  return { judged, exitCode: exitCodeOf(judged.map(({ verdict }) => verdict)) };
}

/** The table for a terminal. */
export function formatTable(judged: readonly Judged[]): string {
  const table = new Table({
    head: ['', 'row', 'measured', 'wanted', ''],
    colAligns: ['left', 'left', 'right', 'right', 'left'],
    style: { head: [], border: [], compact: true },
  });
  for (const { row, measured, wanted, verdict } of judged) {
    table.push([row.letter, row.title, measured, wanted, verdict]);
  }
  return table.toString();
}

/** Adds the bare writes to everything that is judged beside them. */
function namesFor(rows: readonly Row[]): readonly MeasurementName[] {
  const needed = new Set<Row['measurement']>(rows.map(({ measurement }) => measurement));
  if (rows.some(({ kind }) => kind === 'time')) needed.add('writes').add('restedWrites');
  return MEASUREMENT_NAMES.filter((name) => needed.has(name));
}

async function measureRounds(names: readonly MeasurementName[], rounds: number, isQuick: boolean): Promise<Measured> {
  const measured = new Map(names.map((name): [MeasurementName, Rounds] => [name, { figures: [], pieces: [] }]));
  const stage = await Stage.open(isQuick ? QUICK_SECONDS : SECONDS);
  const speed = MachineSpeed.watch();
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const [name, { figures, pieces }] of measured) {
        console.error(`round ${round} of ${rounds}: ${name} ...`);
        speed.take();
        const found = await measureOrTell(name, stage);
        const taken = speed.take();
        figures.push(found);
        pieces.push(...taken);
        if (found) console.error(`  ${formatFigures({ ...found, pieceMs: median(taken) })}`);
      }
    }
    return measured;
  } finally {
    speed.stop();
    await stage.close();
  }
}

/** Adds the speed of the processors, as a measurement of one round. */
function withSpeed(measured: Measured): Measured {
  const pieces = [...measured.values()].flatMap((rounds) => rounds.pieces);
  const fastestMs = fastestOf(pieces);
  const figures = { fastestMs, slowerPercent: 100 * slowerThan(fastestMs, pieces) };
  return new Map([...measured, ['speed', { figures: [figures], pieces }]]);
}

/** If a measurement fails, its rows fall short, and the others go on. */
async function measureOrTell(name: MeasurementName, stage: Stage): Promise<Figures | undefined> {
  try {
    return await MEASUREMENTS[name](stage);
  } catch (error) {
    console.error(error);
    return undefined;
  }
}

/** No values if it cannot be measured here; the worst value for a round that failed or did not end. */
function valuesOf(measured: Measured, { measurement, figure, wanted }: Row): readonly number[] {
  const worst = wanted.kind === 'at least' ? -Infinity : Infinity;
  return (measured.get(measurement)?.figures ?? []).flatMap((figures) => {
    if (figures === undefined) return worst;
    if (Object.keys(figures).length === 0) return [];
    const value = figures[figure];
    if (value === undefined) throw new TypeError(`The measurement ${measurement} has no ${figure}.`);
    return Number.isNaN(value) ? worst : value;
  });
}

function judge(row: Row, measured: Measured): Judged {
  const values = valuesOf(measured, row);
  return {
    row,
    measured: values.length === 0 ? '-' : formatValue(median(values), row.unit),
    wanted: formatWanted(row.wanted, row.unit),
    verdict: verdictOf(values, row.wanted, machineOf(row, measured)),
  };
}

/** The machine, as far as it changes the figure of a row. */
function machineOf({ kind, measurement }: Row, measured: Measured): Machine {
  if (kind === 'requests' || kind === 'memory') return 'quiet';
  if (kind === 'time' && !isQuiet(valuesOf(measured, BARE))) return 'busy';
  const [speed] = valuesOf(measured, SPEED[0]!);
  return isSlow(speed!, measured.get(measurement)!.pieces) ? 'slow' : 'quiet';
}

function formatWanted(wanted: Wanted, unit: string): string {
  if (wanted.kind === 'none') return '';
  return `${wanted.kind === 'at most' ? '≤' : '≥'} ${formatValue(wanted.value, unit)}`;
}

function formatValue(value: number, unit: string): string {
  return Number.isFinite(value) ? `${formatNumber(value)} ${unit}`.trim() : 'never';
}

function formatFigures(figures: Figures): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${formatNumber(value)}`)
    .join(', ');
}

function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return 'never';
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 100 ? 1 : 0 });
}
