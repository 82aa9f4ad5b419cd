// npm run test:consumers [-- [--short] [--keep] [row ...]]: packs the library, and installs, builds, tests and runs it
// in projects of every kind, two at a time. Without names it takes all rows, with --short those that CI runs, which
// have seven minutes.
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { guard } from '@test/support/zookeeper/guard.js';
import { type Row, ROWS } from './rows/index.js';
import { Site } from './site.js';

const AT_A_TIME = 2;
/** The limit for CI's rows, the packing included. */
const MOST_SECONDS = 420;

interface Result {
  readonly row: Row;
  readonly seconds: number;
  readonly error?: unknown;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean' }, keep: { type: 'boolean' } },
});
const waiting = [...chosen(positionals)];
const running = new Set<Row>();
const folder = await realpath(await mkdtemp(join(tmpdir(), 'consumers-')));
const remover = guard('rm -rf -- "$1"', folder);
const began = performance.now();
const results: Result[] = [];
try {
  const site = await Site.in(folder);
  console.log(`packed, ${secondsSince(began)} s`);
  await Promise.all(Array.from({ length: AT_A_TIME }, () => work(site)));
  await site.removed();
} finally {
  if (values.keep) remover.cancel();
  else await remover.release();
}
tell();

function chosen(names: readonly string[]): readonly Row[] {
  const unknown = names.filter((name) => !ROWS.some((row) => row.name === name));
  if (unknown.length > 0) {
    throw new Error(`No row is called ${unknown.join(' or ')}; there are ${ROWS.map(({ name }) => name).join(', ')}.`);
  }
  if (values.short) return ROWS.filter(({ isShort }) => isShort);
  return names.length === 0 ? ROWS : ROWS.filter(({ name }) => names.includes(name));
}

async function work(site: Site): Promise<void> {
  for (let row = waiting.shift(); row; row = waiting.shift()) {
    running.add(row);
    results.push(await resultOf(row, site));
    running.delete(row);
    if (!values.keep) site.leave(row, [...waiting, ...running]);
  }
}

async function resultOf(row: Row, site: Site): Promise<Result> {
  const since = performance.now();
  const error = await row.run(site).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const seconds = secondsSince(since);
  console.log(`== ${row.name} ${error === undefined ? 'works' : 'FAILS'}, ${seconds} s`);
  if (error !== undefined) console.error(error);
  return { row, seconds, error };
}

function tell(): void {
  const failed = results.filter(({ error }) => error !== undefined);
  console.table(
    results.map(({ row, seconds, error }) => ({
      row: row.name,
      what: row.title,
      result: error === undefined ? 'works' : 'FAILS',
      seconds,
    })),
  );
  if (values.keep) console.log(`kept: ${folder}`);
  console.log(`${results.length - failed.length} passed, ${failed.length} failed`);
  const seconds = secondsSince(began);
  console.log(`${seconds} s in all${values.short ? `, of ${MOST_SECONDS}` : ''}`);
  const isLate = values.short === true && seconds > MOST_SECONDS;
  if (isLate) console.error(`The short rows have taken more than ${MOST_SECONDS} s.`);
  if (failed.length > 0 || isLate) process.exitCode = 1;
}

function secondsSince(time: number): number {
  return Math.round((performance.now() - time) / 1_000);
}
