import Table from 'cli-table3';
import type { Figures } from './measures/measurement.js';
import type { TableOptions } from './options.js';
import { fastestOf, MachineSpeed, slowerThan } from './machine-speed.js';
import { type Counted, countedOf, piecesOf, type Round, valuesOf } from './rounds.js';
import { chooseRows, MEASUREMENT_NAMES, MEASUREMENTS, type MeasurementName, type Row } from './rows.js';
import { Stage } from './stage.js';
import { median } from './statistics.js';
import { exitCodeOf, isQuiet, type Machine, MOST_BARE_MS, type Verdict, verdictOf, type Wanted } from './verdict.js';

/** Time for which jobs are watched in each round: a multiple of all their periods. */
const SECONDS = 12;
const QUICK_SECONDS = 6;

/** How long measurements are repeated, after the rounds, until enough of them had quick processors. */
const REPEATS_MS = 10 * 60_000;
const QUICK_REPEATS_MS = 60_000;

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

/** The rounds of each measurement. */
type Measured = ReadonlyMap<Row['measurement'], readonly Round[]>;

/** Measures in interleaved rounds, and judges the medians. */
export async function measureTable({ isQuick, rows: letters, rounds }: TableOptions): Promise<TableResult> {
  const rows = chooseRows(letters, isQuick);
  const measured = withSpeed(await measureRounds(rows, rounds, isQuick));
  const shown = measured.has('writes') ? [BARE, RESTED, ...SPEED, ...rows] : [...SPEED, ...rows];
  const judged = shown.map((row) => judge(row, measured, rounds));
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

async function measureRounds(rows: readonly Row[], rounds: number, isQuick: boolean): Promise<Measured> {
  const measured = new Map(namesFor(rows).map((name): [MeasurementName, Round[]] => [name, []]));
  const stage = await Stage.open(isQuick ? QUICK_SECONDS : SECONDS);
  const speed = MachineSpeed.watch();
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const [name, ofName] of measured) {
        console.error(`round ${round} of ${rounds}: ${name} ...`);
        ofName.push(await measureRound(name, stage, speed));
      }
    }
    const end = performance.now() + (isQuick ? QUICK_REPEATS_MS : REPEATS_MS);
    let names = namesToRepeat(rows, measured, rounds);
    while (names.length > 0 && performance.now() < end) {
      for (const name of names) {
        console.error(`again, as the processors were slow: ${name} ...`);
        measured.get(name)!.push(await measureRound(name, stage, speed));
      }
      names = namesToRepeat(rows, measured, rounds);
    }
    return measured;
  } finally {
    speed.stop();
    await stage.close();
  }
}

async function measureRound(name: MeasurementName, stage: Stage, speed: MachineSpeed): Promise<Round> {
  speed.take();
  const figures = await measureOrTell(name, stage);
  const pieces = speed.take();
  if (figures) console.error(`  ${formatFigures({ ...figures, pieceMs: median(pieces) })}`);
  return { figures, pieces };
}

/** Measurements with a row that falls short, of which too few rounds had quick processors to judge it. */
function namesToRepeat(rows: readonly Row[], measured: Measured, rounds: number): readonly MeasurementName[] {
  const slow = rows.filter((row) => machineOf(row, measured, rounds) === 'slow');
  const invalid = slow.filter((row) => judge(row, measured, rounds).verdict === 'invalid');
  return MEASUREMENT_NAMES.filter((name) => invalid.some(({ measurement }) => measurement === name));
}

/** Adds the speed of the processors, as a measurement of one round. */
function withSpeed(measured: Measured): Measured {
  const pieces = piecesOf(measured.values());
  const fastestMs = fastestOf(pieces);
  const figures = { fastestMs, slowerPercent: 100 * slowerThan(fastestMs, pieces) };
  return new Map([...measured, ['speed', [{ figures, pieces }]]]);
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

function judge(row: Row, measured: Measured, rounds: number): Judged {
  const { values } = countedFor(row, measured, rounds);
  return {
    row,
    measured: values.length === 0 ? '-' : formatValue(median(values), row.unit),
    wanted: formatWanted(row.wanted, row.unit),
    verdict: verdictOf(values, row.wanted, machineOf(row, measured, rounds)),
  };
}

/** The machine, as far as it changes the figure of a row. */
function machineOf(row: Row, measured: Measured, rounds: number): Machine {
  if (row.kind === 'time' && !isQuiet(countedFor(BARE, measured, rounds).values)) return 'busy';
  return countedFor(row, measured, rounds).isSlow ? 'slow' : 'quiet';
}

/** The values by which a row is judged. Slow processors change times and processor time alone. */
function countedFor({ kind, measurement, figure, wanted }: Row, measured: Measured, rounds: number): Counted {
  const worst = wanted.kind === 'at least' ? -Infinity : Infinity;
  const values = valuesOf(measured.get(measurement) ?? [], figure, worst, fastestOf(piecesOf(measured.values())));
  if (kind === 'time' || kind === 'cpu') return countedOf(values, rounds);
  return { values: values.map(({ value }) => value), isSlow: false };
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
