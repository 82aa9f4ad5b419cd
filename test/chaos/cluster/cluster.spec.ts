import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenHandles, startEnsemble } from '@test/support/faults/index.js';
import { buildPrograms } from './programs.js';
import { report } from './report.js';
import { type ChaosOptions, runChaos, TICK_MS } from './run-chaos.js';
import { runRolling } from './run-rolling.js';

/** The long form is `npm run chaos`. */
const CHAOS_MS = 45_000;
/** Other processes may use the machine too. */
const SLACK_MS = 3_000;
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261_121);
const LIMITS = { timeout: 240_000 };

describe('worker processes over an ensemble', LIMITS, () => {
  const handles = new OpenHandles();
  let parts: Pick<ChaosOptions, 'kind' | 'programs' | 'ensemble'>;
  beforeAll(async () => {
    const programs = await buildPrograms(false);
    await handles.add({ stop: () => programs.remove() });
    const ensemble = await handles.add(startEnsemble(3, { settings: { tickTime: TICK_MS } }));
    parts = { kind: 'node', programs, ensemble };
  });
  afterAll(() => handles.stopAll());

  it('misses and doubles no target and leaves no node while four workers are replaced one by one', async () => {
    const { violations, targets } = await runRolling(parts, 4);
    expect(violations).toEqual([]);
    expect(targets).toBeGreaterThan(60);
  });

  it(`loses no target and takes no stale effect in ${CHAOS_MS / 1_000} s of random faults (seed ${SEED})`, async () => {
    const chaos = await runChaos({ ...parts, ms: CHAOS_MS, seed: SEED, slackMs: SLACK_MS });
    console.info(report([{ title: `seed ${SEED}`, chaos }]));
    // Prints the stories first, because a log that is cut keeps its end.
    for (const each of chaos.violations) console.error(`${each.rule}: ${each.text}\n${chaos.story(each)}`);
    expect(chaos.violations.map(({ rule, job, item, at, text }) => `${rule}: ${job} ${item} ${at} ${text}`)).toEqual(
      [],
    );
    expect(chaos.faults.size).toBeGreaterThan(5);
    expect(chaos.coverage.own).toBeGreaterThan(200);
  });
});
