import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { History } from './history.js';
import { REGRESSIONS } from './regressions.js';
import { report, simulate } from './simulate.js';
import { ODD_ANSWERS } from './world/odd-answers.js';
import { planOf } from './world/plan.js';

/** Short histories. Each of SHOWN occurs in three of them. `npm run simulate -- --seeds 2000` runs all others. */
const SEEDS = [
  6, 13, 20, 25, 47, 55, 65, 68, 76, 98, 99, 119, 125, 126, 130, 133, 148, 163, 170, 173, 200, 205, 234, 248, 249, 325,
];
/** Number of histories whose items are tasks. `npm run simulate -- --tasks --seeds 2000` runs more of them. */
const TASK_SEEDS = 10;
/** Some of SEEDS, in which most kinds of faults occur. */
const REPEATED = [20, 148, 173, 234];
/** Runs, faults, commands of an operator and events that must occur. */
const SHOWN =
  'MISFIRE FAILOVER resident rerun withdraw resign crash pause leave expire lose-reply drift hung missed postponed ' +
  'CancelledError dependency-not-met DrainDeadlineError InstanceRemovedError JobTimeoutError ResidentStoppedError ' +
  'SessionLostError SuspendedTooLongError';
const TASK_SHOWN = ['succeeded', 'FAILED', 'KILLED by timeout', 'UNREACHABLE', 'adopted while it ran', 'handed over'];
const COMMAND = ['--import', './test/support/faults/register-typescript.mjs', 'test/simulation/cli.ts'];

describe('histories of many faults', () => {
  it(`keep every promise for ${SEEDS.length} seeds, and all faults occur`, async () => {
    const seen = new Set<string>();
    for (const seed of SEEDS) {
      const simulation = await simulate(seed);
      expect(report(simulation)).toBe('');
      for (const { source, origin, abortedBy } of new History(planOf(seed), simulation.log.entries).runs) {
        for (const word of [source, origin.replace(/:.*/, ''), abortedBy]) seen.add(word ?? '');
      }
      for (const entry of simulation.log.entries) {
        if (entry.kind === 'fault') seen.add(entry.fault);
        if (entry.kind === 'event') seen.add(entry.event.kind);
        if (entry.kind === 'operation' && entry.outcome === 'done') seen.add(entry.name);
      }
    }

    expect(SHOWN.split(' ').filter((word) => !seen.has(word))).toEqual([]);
    expect([...seen].filter((word) => word.startsWith('is answered'))).toHaveLength(ODD_ANSWERS.length);
  }, 300_000);

  it(`keep every promise for ${TASK_SEEDS} seeds whose items are tasks`, async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= TASK_SEEDS; seed++) {
      const simulation = await simulate(seed, undefined, 'tasks');
      expect(report(simulation)).toBe('');
      for (const [what] of simulation.sightings) seen.add(what);
    }
    expect(TASK_SHOWN.filter((what) => !seen.has(what))).toEqual([]);
  }, 120_000);

  it.each(REGRESSIONS)(
    'do not show for seed $seed again that $showed',
    async ({ seed, edition = 1 }) => {
      expect(report(await simulate(seed, undefined, edition))).toBe('');
    },
    30_000,
  );
});

describe('a seed', () => {
  it(`gives the same log each time, for ${REPEATED.length} seeds`, async () => {
    for (const seed of REPEATED) {
      const [first, second] = [await simulate(seed), await simulate(seed)];
      expect(first.log.hash(), `seed ${seed}`).toBe(second.log.hash());
    }
  }, 120_000);

  it('gives the same log each time, for 2 seeds whose items are tasks', async () => {
    for (let seed = 1; seed <= 2; seed++) {
      const [first, second] = [await simulate(seed, undefined, 'tasks'), await simulate(seed, undefined, 'tasks')];
      expect(first.log.hash(), `seed ${seed}`).toBe(second.log.hash());
    }
  }, 60_000);

  it('gives the same log in another process', async () => {
    const [seed = 0] = REPEATED;
    const { log } = await simulate(seed);

    const { stdout } = await promisify(execFile)(process.execPath, [...COMMAND, '--seed', String(seed)]);

    expect(stdout).toContain(log.hash());
  }, 60_000);
});
