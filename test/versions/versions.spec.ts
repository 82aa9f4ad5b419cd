import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TICK_MS } from '../chaos/cluster/run-chaos.js';
import { type Ensemble, OpenHandles, startEnsemble } from '@test/support/faults/index.js';
import { buildReleases, type Releases } from './releases.js';
import { runVersions } from './run-versions.js';

const HALF_MS = 1_000 * Number(process.env['VERSIONS_SECONDS'] ?? 60);
const SEED = Number(process.env['VERSIONS_SEED'] ?? 20_261_122);
/** Other suites measure lateness. Here every target has to be run, or reported as missed. */
const SLACK_MS = 15_000;
/** Labels beside each other while half of the instances are of each release. The former one tells no version. */
const LABELS = {
  present: ['nestjs-elastic-job/1', 'nestjs-elastic-job/1 v=1.43.1-rc.1+build_7 can=reruns'],
  next: [
    'nestjs-elastic-job/1 v=1.43.1-rc.1+build_7 can=reruns',
    'nestjs-elastic-job/2 v=1.43.1-rc.1+build_7 can=reruns',
  ],
} as const;
const LIMITS = { timeout: 300_000 + HALF_MS };

describe('releases that share jobs', LIMITS, () => {
  const handles = new OpenHandles();
  let releases: Releases;
  let ensemble: Ensemble;
  beforeAll(async () => {
    releases = await buildReleases();
    await handles.add({ stop: () => releases.remove() });
    ensemble = await handles.add(startEnsemble(3, { settings: { tickTime: TICK_MS } }));
  });
  afterAll(() => handles.stopAll());

  it.each([
    ['former', 'present'],
    ['present', 'next'],
  ] as const)('lose and repeat nothing in upgrades, rollbacks and kills: %s and %s release', async (older, newer) => {
    const pair = { older: releases[older], newer: releases[newer] };
    const result = await runVersions({ ...pair, ensemble, halfMs: HALF_MS, seed: SEED, slackMs: SLACK_MS });
    const { coverage, history, kills, labels, upgraded, rolledBack } = result;
    const { targets, own, superseded } = coverage;
    console.info(
      `${pair.older.name} and ${pair.newer.name}: ${kills} kills, ${targets} targets, ` +
        `${own} with a run of their own, ` +
        `${superseded} for which a later one stands, ${history.runs.length} runs`,
    );

    expect(result.violations).toEqual([]);
    // A release that took the label of another one for Java's would write no records beside it.
    expect(labels).toEqual(LABELS[newer]);
    // Older releases carry the fields that only newer ones know.
    expect(upgraded.filter((record) => 'later' in record)).toHaveLength(newer === 'next' ? upgraded.length : 0);
    expect(rolledBack.filter((record) => 'later' in record)).toHaveLength(newer === 'next' ? rolledBack.length : 0);
  });
});
