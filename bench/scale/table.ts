import Table from 'cli-table3';
import type { Figures } from './measures/measurement.js';
import type { TableOptions } from './options.js';
import { chooseRows, MEASUREMENT_NAMES, MEASUREMENTS, type MeasurementName, type Row } from './rows.js';
import { Stage } from './stage.js';
import { median } from './statistics.js';
import { exitCodeOf, isQuiet, MOST_BARE_MS, type Verdict, verdictOf, type Wanted } from './verdict.js';

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

/** Rows that show what kind of machine it is. They are not judged. */
const MACHINE: readonly Row[] = [
  // A machine that is slow after idle time, as each second's first job meets it.
  {
    letter: '',
    title: 'a bare write after a second without any: p50',
    measurement: 'restedWrites',
    figure: 'p50',
    unit: 'ms',
    kind: 'time',
    wanted: { kind: 'none' },
  },
  // Processors that the host lends to others as well.
  {
    letter: '',
    title: 'a fixed piece of work: its median slower than its fastest by',
    measurement: 'computing',
    figure: 'slowerPercent',
    unit: '%',
    kind: 'time',
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

/** Rounds of each measurement. Undefined if it failed. */
type Rounds = Readonly<Partial<Record<MeasurementName, readonly (Figures | undefined)[]>>>;

/** Measures in interleaved rounds, and judges the medians. */
export async function measureTable({ isQuick, rows: letters, rounds }: TableOptions): Promise<TableResult> {
  const rows = chooseRows(letters, isQuick);
  const measured = await measureRounds(namesFor(rows), rounds, isQuick);
  const p99s = valuesOf(measured, BARE);
  const isValid = p99s.length === 0 || isQuiet(p99s);
  const judged = rows.map((row) => judge(row, valuesOf(measured, row), isValid));
  if (p99s.length > 0) judged.unshift(...[BARE, ...MACHINE].map((row) => judge(row, valuesOf(measured, row), isValid)));
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
  const needed = new Set<MeasurementName>(rows.map(({ measurement }) => measurement));
  if (rows.some(({ kind }) => kind === 'time')) needed.add('writes').add('restedWrites').add('computing');
  return MEASUREMENT_NAMES.filter((name) => needed.has(name));
}

async function measureRounds(names: readonly MeasurementName[], rounds: number, isQuick: boolean): Promise<Rounds> {
  const stage = await Stage.open(isQuick ? QUICK_SECONDS : SECONDS);
  const measured: Partial<Record<MeasurementName, (Figures | undefined)[]>> = {};
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const name of names) {
        console.error(`round ${round} of ${rounds}: ${name} ...`);
        const figures = await measureOrTell(name, stage);
        (measured[name] ??= []).push(figures);
        if (figures) console.error(`  ${formatFigures(figures)}`);
      }
    }
    return measured;
  } finally {
    await stage.close();
  }
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
function valuesOf(measured: Rounds, { measurement, figure, wanted }: Row): readonly number[] {
  const worst = wanted.kind === 'at least' ? -Infinity : Infinity;
  return (measured[measurement] ?? []).flatMap((figures) => {
    if (figures === undefined) return worst;
    if (Object.keys(figures).length === 0) return [];
    const value = figures[figure];
    if (value === undefined) throw new TypeError(`The measurement ${measurement} has no ${figure}.`);
    return Number.isNaN(value) ? worst : value;
  });
}

function judge(row: Row, values: readonly number[], isValid: boolean): Judged {
  return {
    row,
    measured: values.length === 0 ? '-' : formatValue(median(values), row.unit),
    wanted: formatWanted(row.wanted, row.unit),
    verdict: verdictOf(values, row.wanted, isValid || row.kind !== 'time'),
  };
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
