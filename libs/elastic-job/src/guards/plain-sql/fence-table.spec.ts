import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Libsql from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { advanceFenceSql, createFenceTableSql } from './index.js';

/** A user without Kysely: one connection per thread, through the driver's own API. */
const WRITER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const Database = require('libsql');
  const db = new Database(workerData.file);
  db.exec('pragma busy_timeout = 20000');
  const advance = db.prepare(workerData.advanceFenceSql);
  const effect = db.prepare('insert into effect (token) values (?)');
  let refused = 0;
  for (const token of workerData.tokens) {
    db.exec('begin');
    if (advance.run(['job', 0, 0, token]).changes === 1) { effect.run([token]); db.exec('commit'); }
    else { refused++; db.exec('rollback'); }
  }
  db.close();
  parentPort.postMessage(refused);
`;

it('accepts no old token after a newer one from threads that race with plain statements', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fence-'));
  const file = join(directory, 'store.db');
  const db = new Libsql(file);
  onTestFinished(async () => {
    db.close();
    await rm(directory, { recursive: true });
  });
  db.exec('pragma journal_mode = wal');
  db.exec(createFenceTableSql);
  db.exec('create table effect (position integer primary key, token bigint)');
  const base = 2n ** 62n;
  const tokensOf = (writer: number) => Array.from({ length: 50 }, (_, step) => base + BigInt(step * 3 + writer));

  const refusals = await Promise.all([0, 1, 2].map((writer) => refusedWrites(file, tokensOf(writer))));

  const seen = db
    .prepare('select cast(token as text) from effect order by position')
    .raw()
    .all([])
    .map((row) => BigInt(String(row)));
  expect(seen).toEqual(seen.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(seen.at(-1)).toBe(base + 149n);
  expect(seen.length + refusals.reduce((sum, refused) => sum + refused)).toBe(150);
});

function refusedWrites(file: string, tokens: readonly bigint[]): Promise<number> {
  const writer = new Worker(WRITER, { eval: true, workerData: { file, tokens, advanceFenceSql } });
  return new Promise((resolve, reject) => {
    writer.once('message', resolve);
    writer.once('error', reject);
  });
}
