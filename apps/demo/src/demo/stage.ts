import { inspect } from 'node:util';
import { CitiesSource } from '../cities/cities.source.js';
import { openStatisticsDatabase, type StatisticsDatabase } from '../cities/statistics.database.js';
import { StatisticsStore } from '../cities/statistics.store.js';
import type { DemoEvent } from './demo-event.js';
import { Display } from './display.js';
import { Ledger } from './ledger.js';
import { findMiscounts } from './miscounts.js';

/** Means of a script. */
export interface Stage {
  readonly ledger: Ledger;
  readonly database: StatisticsDatabase;
  /** True if the database has as many cities as the data set. */
  readonly isComplete: () => Promise<boolean>;
  /** Receives the instances' events. */
  readonly hear: (event: DemoEvent) => void;
  /** Writes a line for the audience. */
  readonly tell: (text: string) => void;
  /** Ends every wait, because the play cannot go on. */
  readonly fail: (error: Error) => void;
}

/**
 * Runs a play and judges it by the database. Sets the exit status: 0 only if the play has reached its end, and every
 * city was counted exactly once.
 */
export async function perform(
  databaseFile: string,
  limitMs: number,
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  const database = await openStatisticsDatabase(databaseFile);
  const store = new StatisticsStore(database);
  const total = new CitiesSource().all.length;
  const failure = new AbortController();
  const late = () => failure.abort(new Error(`The demo has taken more than ${limitMs / 1_000} s.`));
  // AbortSignal.timeout does not work within AbortSignal.any: Node 20 collects it as garbage, and the time-out never
  // comes.
  const limit = setTimeout(late, limitMs);
  const ledger = new Ledger(failure.signal);
  const display = new Display(total);
  const hear = (event: DemoEvent) => {
    ledger.record(event);
    display.update(ledger);
  };

  const problems: string[] = [];
  try {
    await play({
      ledger,
      database,
      isComplete: async () => (await store.total()) === total,
      hear,
      tell: (text) => display.line(text),
      fail: (error) => failure.abort(error),
    });
    problems.push(...findMiscounts(await store.byCountry()));
  } catch (error) {
    problems.push(inspect(error));
  }
  clearTimeout(limit);
  display.stop();
  console.log(`\nCities counted:        ${await store.total()} of ${total}`);
  if (ledger.refused > 0) console.log(`Stale writes refused:  ${ledger.refused}`);
  conclude(problems);
  await database.destroy();
}

function conclude(problems: readonly string[]): void {
  if (problems.length === 0) {
    console.log('Every city was counted exactly once: the statistics of all countries equal those of the data set.');
    return;
  }
  console.error(`\nThe demo failed:\n${problems.join('\n')}`);
  process.exitCode = 1;
}
