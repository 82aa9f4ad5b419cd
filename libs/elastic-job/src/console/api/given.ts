import { type OptionRow, OptionTable } from '../../domain/index.js';
import { ConsoleProblem } from '../contract/index.js';

type Rows = Readonly<Record<string, OptionRow>>;
interface Fault {
  readonly field: string;
  readonly problem: string;
}

/** Most fields of a request of which the faults are told. */
const MOST_FAULTS = 100;

/**
 * The query as its rows have it: numbers and flags are made of their texts. A flag without a text is set.
 * @throws {ConsoleProblem} 400 with every fault at once
 */
export function queryOf(query: URLSearchParams, rows: Rows = {}): object {
  const names = [...new Set(query.keys())];
  const rowOf = (name: string) => (Object.hasOwn(rows, name) ? rows[name] : undefined);
  const given = Object.fromEntries(names.map((name) => [name, valueOf(query.get(name)!, rowOf(name))]));
  const repeated = names.filter((name) => query.getAll(name).length > 1);
  return checked(
    'query',
    given,
    rows,
    repeated.map((field) => ({ field, problem: 'must be given once' })),
  );
}

/** @throws {ConsoleProblem} 400 with every fault at once */
export function bodyOf(body: object, rows: Rows): object {
  return checked('body', body, rows, []);
}

function checked(what: string, given: object, rows: Rows, faults: readonly Fault[]): object {
  const names = Object.keys(given);
  const all = [...faults, ...findUnknown(names, what, rows), ...findBroken(given, what, rows)];
  if (all.length === 0) return given;
  const fields = all.slice(0, MOST_FAULTS);
  throw new ConsoleProblem(400, 'INVALID_ARGUMENT', `The ${what} is wrong: ${fields.map(lineOf).join('; ')}.`, {
    fields,
  });
}

function lineOf({ field, problem }: Fault): string {
  return `${field} ${problem}`;
}

function findUnknown(names: readonly string[], what: string, rows: Rows): readonly Fault[] {
  const table = new OptionTable(rows, `the ${what}`);
  return names
    .filter((name) => !Object.hasOwn(rows, name))
    .flatMap((name) => table.findUnknown({ [name]: undefined }).map((text) => faultOf(name, text)));
}

function findBroken(given: object, what: string, rows: Rows): readonly Fault[] {
  return Object.entries(rows).flatMap(([name, row]) => {
    const value: unknown = Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined;
    const table = new OptionTable({ [name]: row }, `the ${what}`);
    return table.findBroken({ [name]: value }).map((text) => faultOf(name, text));
  });
}

/** The library's texts begin with the name. */
function faultOf(field: string, text: string): Fault {
  return {
    field: shortened(field),
    problem: text.startsWith(field) ? text.slice(field.length).replace(/^[:. ]+/, '') : text,
  };
}

function shortened(name: string): string {
  return name.length <= 100 ? name : `${name.slice(0, 97)}...`;
}

function valueOf(text: string, row: OptionRow | undefined): unknown {
  const type = row?.rule.schema?.type;
  if (type === 'integer' && /^\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && ['', 'true', 'false'].includes(text)) return text !== 'false';
  return text;
}
