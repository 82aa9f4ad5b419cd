// The history's part of bench/telemetry.ts: the cost of a SqlHistory per run in the event loop's thread. It is measured
// over a database that answers at once and does no work in that thread, over SQLite in this process, whose own work is
// included, and over SQLite in a thread of its own. A fixed piece of work between the slices tells whether the
// processors were at full speed: a figure that falls short on slow ones is invalid.
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  SqliteDialect,
} from 'kysely';
import Libsql from 'libsql';
import { SystemClock } from '../libs/elastic-job/src/clock/index.js';
import { SqlHistory, type SqlHistoryOptions } from '../libs/elastic-job/src/tracing/sql/index.js';
import { bundleHistoryThread, inThread } from '@test/support/databases/history-thread.js';
import { fastestOf, isSlow, slowerThan, timeOfPiece, warmUp } from './scale/machine-speed.js';
import { type Machine, type Verdict, verdictOf } from './scale/verdict.js';
import { describeMedian } from './statistics.js';
import { Contestant } from './telemetry-contestant.js';

/** Most microseconds per run of one item in the event loop's thread. */
const MOST_US = 60;
const ROUNDS = 10;
/** Runs whose rows are collected together: those of 200 ms, at 1,000 runs a second. */
const SLICE = 200;

/** A clock whose history collects rows until the slice ends. All other waits take real time. */
class SliceClock extends SystemClock {
  private readonly slices = new EventEmitter();
  private isEnding = false;

  override async sleep(_ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.isEnding) await once(this.slices, 'end', { signal });
  }

  /** Ends the collecting, until all rows are written. */
  async endSlice(history: SqlHistory<unknown>): Promise<void> {
    this.isEnding = true;
    this.slices.emit('end');
    while (history.status.queuedRows > 0) {
      if (history.status.failingSince !== undefined) throw new Error('The database takes nothing.');
      // Real time for the thread; asking it without a pause would cost more than its work.
      await super.sleep(1);
    }
    this.isEnding = false;
  }
}

/** A database that accepts every statement at once. */
class AnsweringDialect implements Dialect {
  createDriver = () => new AnsweringDriver();
  createAdapter = () => new PostgresAdapter();
  createQueryCompiler = () => new PostgresQueryCompiler();
  createIntrospector = (db: Kysely<unknown>) => new PostgresIntrospector(db);
}

class AnsweringDriver extends DummyDriver {
  override acquireConnection = async (): Promise<DatabaseConnection> => ({
    executeQuery: async () => ({ rows: [] }),
    // oxlint-disable-next-line require-yield -- no rows
    async *streamQuery() {},
  });
}

/** A contestant, its history, and the cost of that in each round. */
interface Entry {
  readonly name: string;
  readonly history: SqlHistory<unknown>;
  readonly contestant: Contestant;
  readonly costsUs: number[];
}

/** @returns a verdict for each database: does the history cost no more than promised? */
export async function judgeHistory(runsOfRound: number): Promise<readonly Verdict[]> {
  const directory = await mkdtemp(join(tmpdir(), 'telemetry-'));
  const answering = new Kysely<unknown>({ dialect: new AnsweringDialect() });
  const path = (name: string) => join(directory, `${name}.db`);
  const [sqlite, apart] = [await openSqlite(path('process')), await openSqlite(path('thread'))];
  const threads = await bundleHistoryThread();
  const entries = [
    await enter('a database that answers at once', answering),
    await enter('SQLite in this process', sqlite),
    await enter('SQLite in a thread', apart, inThread(threads, 'sqlite', path('thread'))),
  ];
  const machine = await compete(entries, runsOfRound);
  for (const entry of entries) await leave(entry);
  for (const db of [answering, sqlite, apart]) await db.destroy();
  await threads.remove();
  await rm(directory, { recursive: true });
  return entries.map((entry) => judge(entry, machine));
}

async function openSqlite(path: string): Promise<Kysely<unknown>> {
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Libsql(path) }) });
  await sql`pragma journal_mode = wal`.execute(db);
  return db;
}

async function enter(name: string, db: Kysely<unknown>, options: SqlHistoryOptions = {}): Promise<Entry> {
  const history = new SqlHistory(db, options);
  const sinkClock = new SliceClock();
  const endSlice = () => sinkClock.endSlice(history);
  const contestant = await Contestant.start({ sink: history, sinkClock, endSlice });
  return { name, history, contestant, costsUs: [] };
}

/** @returns the machine while they competed */
async function compete(entries: readonly Entry[], runsOfRound: number): Promise<Machine> {
  const bare = await Contestant.start();
  const pieces: number[] = [];
  warmUp();
  const contestants = [bare, ...entries.map(({ contestant }) => contestant)];
  console.info(
    `History, µs of the event loop's thread per run: ${ROUNDS} rounds of ${runsOfRound} runs, one item each`,
  );
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const contestant of contestants) contestant.reset();
    for (let slice = 0; slice < runsOfRound / SLICE; slice += 1) {
      const first = slice % contestants.length;
      const turns = [...contestants.slice(first), ...contestants.slice(0, first)];
      for (const contestant of turns) await contestant.run(SLICE);
      pieces.push(timeOfPiece());
    }
    const perRun = (us: number) => us / (Math.ceil(runsOfRound / SLICE) * SLICE);
    for (const { contestant, costsUs } of entries) costsUs.push(perRun(contestant.loopUs - bare.loopUs));
    const told = entries.map(
      ({ name, contestant, costsUs }) =>
        `${name} ${microseconds(costsUs.at(-1)!)} (all threads ${microseconds(perRun(contestant.cpuUs - bare.cpuUs))})`,
    );
    console.info(`${round}: bare ${microseconds(perRun(bare.loopUs))}; ${told.join('; ')}`);
  }
  await bare.stop();
  return machineOf(pieces);
}

function machineOf(pieces: readonly number[]): Machine {
  const fastest = fastestOf(pieces);
  const percent = Math.round(100 * slowerThan(fastest, pieces));
  console.info(`a fixed piece of work: ${fastest.toFixed(1)} ms at its fastest, ${percent} % slower in the middle`);
  return isSlow(fastest, pieces) ? 'slow' : 'quiet';
}

/** @throws if the history has lost events */
async function leave({ name, history, contestant }: Entry): Promise<void> {
  await contestant.stop();
  const { queuedRows, droppedRows } = history.status;
  if (droppedRows + queuedRows > 0) throw new Error(`${name}: ${droppedRows} rows were dropped, ${queuedRows} wait.`);
}

function judge({ name, costsUs }: Entry, machine: Machine): Verdict {
  const verdict = verdictOf(costsUs, { kind: 'at most', value: MOST_US }, machine);
  console.info(`history, ${name}: median ${describeMedian(costsUs, microseconds)}; ${MOST_US} µs promised: ${verdict}`);
  return verdict;
}

function microseconds(us: number): string {
  return `${us.toFixed(1)} µs`;
}
