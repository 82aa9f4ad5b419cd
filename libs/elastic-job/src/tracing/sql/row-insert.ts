import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import { fitting, type StoredTime, type TraceDb } from './trace-row.js';

type Value = StoredTime | boolean | null;

/** Most characters of the texts in a table's columns, by the columns' names in lower case. */
export type Widths = ReadonlyMap<string, number>;

/** A column of an insert: either a constant in the statement's text, or a parameter of each row. */
export type InsertColumn<Row> =
  { readonly name: string; readonly always: string } | { readonly name: string; readonly of: (row: Row) => Value };

/**
 * Inserts up to `mostRows` rows of a table by one statement. The text for the most rows is compiled once, and the text
 * for fewer rows is its beginning, because building a statement takes longer than sending it.
 */
export class RowInsert<Row> {
  private readonly parameters: readonly Extract<InsertColumn<Row>, { readonly of: unknown }>[];
  private text: { readonly values: string; readonly ends: readonly number[]; readonly end: string } | undefined;

  /** @param end the end of the statement, which decides about existing ids */
  constructor(
    readonly table: string,
    private readonly columns: readonly InsertColumn<Row>[],
    private readonly end: RawBuilder<unknown>,
    private readonly mostRows: number,
  ) {
    this.parameters = columns.filter((column) => 'of' in column);
  }

  /** @param rows at least one; texts are cut to the widths, counted in UTF-16 units, which are no fewer */
  async run(db: TraceDb, rows: readonly Row[], widths: Widths): Promise<void> {
    const parameters = this.parameters.map(({ name, of }) => ({ of, units: widths.get(name) ?? Infinity }));
    const values: Value[] = [];
    for (const row of rows) {
      for (const { of, units } of parameters) {
        const value = of(row);
        values.push(typeof value === 'string' && value.length > units ? fitting(value, units) : value);
      }
    }
    await db.executeQuery(CompiledQuery.raw(this.textOf(rows.length, db), values));
  }

  private textOf(rows: number, db: TraceDb): string {
    const { values, ends, end } = (this.text ??= this.compile(db));
    const names = this.columns.map(({ name }) => name).join(', ');
    return `insert into ${this.table} (${names}) values ${values.slice(0, ends[rows - 1])} ${end}`;
  }

  private compile(db: TraceDb) {
    const row = sql.join(this.columns.map((column) => ('of' in column ? sql`${null}` : sql.raw(column.always))));
    const values = sql.join(Array.from({ length: this.mostRows }, () => sql`(${row})`)).compile(db).sql;
    // A row has no other bracket.
    const ends = [...values.matchAll(/\)/g)].map(({ index }) => index + 1);
    return { values, ends, end: this.end.compile(db).sql };
  }
}
