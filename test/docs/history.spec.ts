import { SqlHistory } from '@app/elastic-job/tracing/sql';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Block, readBlocks } from './blocks/blocks.js';

const COLUMNS = 'select name, type, "notnull", dflt_value, pk from pragma_table_info(?)';
const TABLES = ['JOB_EXECUTION_LOG', 'JOB_STATUS_TRACE_LOG'];
const HOUR_MS = 3_600_000;

const blocks = readBlocks('docs/operate/history.md').filter(({ language }) => language === 'sql');

let db: Libsql.Database;
let kysely: Kysely<unknown>;
beforeEach(async () => {
  db = new Libsql(':memory:');
  kysely = new Kysely({ dialect: new SqliteDialect({ database: db }) });
  await new SqlHistory(kysely).migrate();
});
afterEach(() => kysely.destroy());

describe('the page of the history', () => {
  it('shows the columns that the history writes', () => {
    const shown = new Libsql(':memory:');
    for (const { text } of blocks.filter((block) => block.text.startsWith('CREATE TABLE'))) shown.exec(text);

    for (const table of TABLES) {
      expect(shown.prepare(COLUMNS).all(table)).toEqual(db.prepare(COLUMNS).all(table));
    }
    shown.close();
  });

  it('asks which runs failed, without those that were handed over or go on', () => {
    const now = Date.now();
    write('succeeded', { isSuccess: 1, end: now });
    write('failed', { cause: 'Error: out of stock', end: now });
    write('failed without a cause, by Java', { end: now });
    write('moved', { cause: 'moved: its item belongs to another instance', end: now });
    write('leaving', { cause: 'leaving: the process drains', end: now });
    write('disabled', { cause: 'disabled: by an operator', end: now });
    write('goes on', {});

    expect(answerOf('Which runs failed', 'failure_cause')).toEqual(['failed', 'failed without a cause, by Java']);
  });

  it('asks which runs have no end although they began long ago', () => {
    write('goes on', { start: Date.now() - HOUR_MS / 2 });
    write('cut off', { start: Date.now() - 2 * HOUR_MS });
    write('ended', { start: Date.now() - 2 * HOUR_MS, end: Date.now() });

    expect(answerOf('Which runs failed', 'complete_time IS NULL')).toEqual(['cut off']);
  });
});

interface Row {
  readonly isSuccess?: number;
  readonly cause?: string;
  readonly start?: number;
  readonly end?: number;
}

function write(job: string, { isSuccess = 0, cause, start = Date.now(), end }: Row): void {
  db.prepare(
    `insert into JOB_EXECUTION_LOG (id, job_name, task_id, hostname, ip, sharding_item, execution_source,
      failure_cause, is_success, start_time, complete_time) values (?, ?, '', '', '', 0, 'NORMAL_TRIGGER', ?, ?, ?, ?)`,
  ).run(job, job, cause ?? null, isSuccess, start, end ?? null);
}

/** Jobs of the rows that a query of the page finds. @param part a part of its text */
function answerOf(section: string, part: string): readonly string[] {
  const isAsked = (block: Block) => block.section === section && block.text.includes(part);
  const { text } = blocks.find(isAsked)!;
  const found: readonly unknown[] = db.prepare(text).all();
  return found.map((row) => String(Reflect.get(Object(row), 'job_name'))).toSorted();
}
