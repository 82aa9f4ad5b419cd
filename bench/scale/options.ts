import { parseArgs } from 'node:util';

/** The options of the command. */
export type ScaleOptions =
  TableOptions | ClusterOptions | { readonly mode: 'growth' } | { readonly mode: 'plot' } | { readonly mode: 'help' };

export interface TableOptions {
  readonly mode: 'table';
  /** True: only requests and processor time, in one round. */
  readonly isQuick: boolean;
  /** Letters of the rows; undefined for all of them. */
  readonly rows: readonly string[] | undefined;
  readonly rounds: number;
  /** True: writes the table into docs/performance.md. */
  readonly writesDocs: boolean;
}

export interface ClusterOptions {
  readonly mode: 'cluster';
  readonly processes: number;
  readonly jobs: number;
  readonly items: number;
  readonly minutes: number;
}

/** An unknown option, or a wrong value. */
export class UsageError extends Error {}

export const USAGE = `npm run bench:scale                    every row, in 3 rounds; ends with 1 if a row falls short,
                                       2 if the machine is too busy
  -- --quick                           requests and processor time alone, in one round
  -- --rows a,e                        some of the rows, by their letters
  -- --rounds 5                        more rounds
  -- --write-docs                      writes the table into docs/performance.md
npm run bench:scale -- --cluster       a rolling restart under load
  --processes 10 --jobs 2000 --items 10 --minutes 3
npm run bench:scale -- --growth        measures how figures grow, and writes docs/performance/growth.json
npm run bench:scale -- --plot          draws docs/performance/*.svg from it`;

const MODES = ['cluster', 'growth', 'plot', 'help'] as const;
const CLUSTER = { processes: 10, jobs: 2_000, items: 10, minutes: 3 };
const ROUNDS = 3;

/** @param letters of the existing rows @throws {UsageError} */
export function parseOptions(args: readonly string[], letters: readonly string[]): ScaleOptions {
  const given = parse(args);
  const modes = MODES.filter((mode) => given[mode] === true);
  if (modes.length > 1) throw new UsageError(`--${modes[0]} and --${modes[1]} exclude each other.`);
  const mode = modes[0] ?? 'table';
  assertBelong(given, mode);
  switch (mode) {
    case 'cluster':
      return { mode, ...numbers(given) };
    case 'table':
      return tableOptions(given, letters);
    case 'growth':
    case 'plot':
    case 'help':
      return { mode };
    default:
      return mode satisfies never;
  }
}

type Given = ReturnType<typeof parse>;

function parse(args: readonly string[]) {
  const flag = { type: 'boolean' } as const;
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        cluster: flag,
        growth: flag,
        plot: flag,
        help: flag,
        quick: flag,
        'write-docs': flag,
        rows: text,
        rounds: text,
        processes: text,
        jobs: text,
        items: text,
        minutes: text,
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const OF_TABLE = ['quick', 'write-docs', 'rows', 'rounds'] as const;
const OF_CLUSTER = ['processes', 'jobs', 'items', 'minutes'] as const;

/** @throws {UsageError} for an option of another mode, which would have no effect */
function assertBelong(given: Given, mode: string): void {
  const others = [...(mode === 'table' ? [] : OF_TABLE), ...(mode === 'cluster' ? [] : OF_CLUSTER)];
  const wrong = others.find((name) => given[name] !== undefined);
  if (wrong === undefined) return;
  const wanted = OF_CLUSTER.some((name) => name === wrong) ? 'goes with --cluster' : `does not go with --${mode}`;
  throw new UsageError(`--${wrong} ${wanted}.`);
}

function tableOptions(given: Given, letters: readonly string[]): TableOptions {
  const rows = given.rows?.split(',');
  const unknown = rows?.find((row) => !letters.includes(row));
  if (unknown !== undefined) throw new UsageError(`--rows: there is no row "${unknown}", but ${letters.join(',')}.`);
  const isQuick = given.quick ?? false;
  if (isQuick && given['write-docs']) throw new UsageError('--quick has not all rows, which --write-docs needs.');
  if (rows && given['write-docs']) throw new UsageError('--rows has not all rows, which --write-docs needs.');
  const rounds = given.rounds === undefined ? (isQuick ? 1 : ROUNDS) : wholeNumber('rounds', given.rounds);
  return { mode: 'table', isQuick, rows, rounds, writesDocs: given['write-docs'] ?? false };
}

function numbers(given: Given): Omit<ClusterOptions, 'mode'> {
  const read = (name: keyof typeof CLUSTER, least?: number) =>
    given[name] === undefined ? CLUSTER[name] : wholeNumber(name, given[name], least);
  return { processes: read('processes', 2), jobs: read('jobs'), items: read('items'), minutes: read('minutes') };
}

function wholeNumber(name: string, text: string, least = 1): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= least) return number;
  throw new UsageError(`--${name} is ${JSON.stringify(text)}; it takes a whole number from ${least}.`);
}
