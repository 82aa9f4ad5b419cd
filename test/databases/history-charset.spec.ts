import { type Kysely, MysqlAdapter } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { SqlHistory } from '../../libs/elastic-job/src/tracing/sql/index.js';
import { dropTables, never, run } from '../contract/history/history-database.js';
import { toldRun } from '../contract/history/told-runs.js';
import { KINDS, type OpenedServer, serverOf } from './support/kinds.js';

const CAUSE = '中国: out of stock 😀';

let heard: JobEvent[];
beforeEach(() => {
  heard = [];
});

for (const kind of KINDS) {
  const why = process.env[kind.variable] ? undefined : kind.lack;
  describe.skipIf(why)(`a history in a ${kind.name} of latin1${why ?? ''}`, () => {
    let server: OpenedServer;
    let db: Kysely<unknown>;
    beforeAll(async () => {
      server = await serverOf(kind);
      const admin = kind.client(server.url);
      const name = 'history_latin1';
      await run(admin, `DROP DATABASE IF EXISTS ${name}`);
      const isMysql = admin.getExecutor().adapter instanceof MysqlAdapter;
      const latin1 = isMysql
        ? 'CHARACTER SET latin1'
        : "ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'";
      await run(admin, `CREATE DATABASE ${name} ${latin1}`);
      await admin.destroy();
      db = kind.client(Object.assign(new URL(server.url), { pathname: `/${name}` }).href);
    });
    afterAll(async () => {
      await db?.destroy();
      await server?.remove();
    });
    afterEach(() => dropTables(db));

    const record = () => recordRun(db);

    it.each(Object.entries(kind.java))(
      'has every row in tables of %s, and a text without the letters',
      async (_, java) => {
        for (const statement of java) await run(db, statement);

        const history = await record();

        expect(await causesIn(history)).toEqual(['??: out of stock ?', ...Array<undefined>(49).fill(undefined)]);
        expect(await history.countStatuses()).toBe(2);
        expect(history.status.droppedRows).toBe(0);
        expect(heard).toMatchObject([{ kind: 'error', message: expect.stringContaining('written with less of it') }]);
      },
    );

    // PostgreSQL has one encoding for the whole database.
    if (kind.dialect === 'postgres') return;
    it('has the whole text in its own tables', async () => {
      const history = await record();

      expect((await causesIn(history))[0]).toBe(CAUSE);
      expect(heard).toEqual([]);
    });
  });
}

/** A run of 50 items, one of which fails with a text that latin1 lacks. */
async function recordRun(db: Kysely<unknown>): Promise<SqlHistory<unknown>> {
  const history = new SqlHistory(db, { gatherMs: 1 });
  history.start({ clock: new SystemClock(), emit: (event) => void heard.push(event) });
  const items = Array.from({ length: 50 }, (_, item) => item);
  const { begin, end } = toldRun({ items, outcomes: new Map([[17, { kind: 'failed', error: CAUSE }]]) });
  for (const event of [...begin, ...end]) history.hear(event);
  await history.stop(never());
  return history;
}

/** The failed one first. */
async function causesIn(history: SqlHistory<unknown>) {
  const { rows } = await history.executions();
  return rows
    .map(({ failureCause }) => failureCause)
    .toSorted((a, b) => Number(b !== undefined) - Number(a !== undefined));
}
