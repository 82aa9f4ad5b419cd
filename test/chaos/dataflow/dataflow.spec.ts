import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { bundle } from '@test/support/bundle/bundle.js';
import { OpenHandles, startZooKeeperServer } from '@test/support/faults/index.js';
import { Seeded } from '@test/support/seeded.js';
import type { ImportPlan } from './import-plan.js';
import { UNSAVED } from './kills.js';
import { type ImportOptions, ImportRun } from './run-import.js';

// In full, about two minutes: IMPORT_ROWS=1000000 IMPORT_KILLS=100 npm run test:chaos -- test/chaos/dataflow
const ROWS = Number(process.env['IMPORT_ROWS'] ?? 60_000);
const KILLS = Number(process.env['IMPORT_KILLS'] ?? 8);
const SEED = Number(process.env['CHAOS_SEED'] ?? 7);
const BATCH = 1_000;
/** The short form also leaves time to join: work that moves to another process must go on where it was. */
const SIZE = ROWS > 100_000 ? { items: 40, batchMs: 400 } : { items: 10, batchMs: 1_500 };
const PLAN: ImportPlan = { rows: ROWS, batch: BATCH, ...SIZE };
const LIMIT_MS = 60_000 + KILLS * 5_000;

const handles = new OpenHandles();
afterAll(() => handles.stopAll());

it(
  `processes each of ${ROWS} rows, and repeats at most one batch per item hit, when ${KILLS} processes are killed`,
  async () => {
    const made = await bundle({ importer: 'test/chaos/dataflow/importer.fixture.ts' });
    await handles.add({ stop: () => made.remove() });
    const server = await handles.add(startZooKeeperServer({ settings: { tickTime: 300 } }));
    const options: ImportOptions = {
      program: fileURLToPath(made.url('importer')),
      server,
      plan: PLAN,
      kills: KILLS,
      chance: new Seeded(SEED),
      sessionTimeoutMs: 3_000,
      limitMs: LIMIT_MS,
    };
    const begunAt = performance.now();
    const { run, faults } = await ImportRun.of(options);
    console.info(`${describe(run)}, ${Math.round((performance.now() - begunAt) / 1_000)} s, seed ${SEED}`);

    expect(faults).toEqual([]);
    const { ledger, killed, hits } = run;
    expect(ledger.rows).toBe(ROWS);
    expect([...killed.values()].reduce((sum, count) => sum + count, 0)).toBe(KILLS);
    // Batches that were written but not saved must come again, or the kills have not hit where they should.
    expect(ledger.repeats).toBeGreaterThanOrEqual(killed.get(UNSAVED)!);
    expect(ledger.repeats).toBeLessThanOrEqual(hits + ledger.aborts);
  },
  2 * LIMIT_MS,
);

function describe({ ledger, killed, hits }: ImportRun): string {
  const kills = [...killed].map(([moment, count]) => `${count} ${moment}`).join(', ');
  const { rows, batches, repeats, refusals, aborts, reports } = ledger;
  const work = `${rows} rows in ${batches} batches, ${repeats} of them again; kills: ${kills}, of ${hits} open runs`;
  return `${work}; ${aborts} runs aborted, ${refusals} steps refused; ${reports.length} runs of the report`;
}
