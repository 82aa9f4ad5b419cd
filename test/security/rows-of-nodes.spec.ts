import { ElasticJobTemplate } from '@app/elastic-job';
import { JobPaths } from '../../libs/elastic-job/src/coordination/index.js';
import { Injectable, Module } from '@nestjs/common';
import { beforeAll, describe, expect, it } from 'vitest';
import { slowness } from '../property/node-texts/texts.js';
import { watchBlocks } from '@test/support/blocks.js';
import { foreignRows, itemRows, knownRows, type NodeRow } from '@test/support/job-rows.js';
import { startClient } from './support/access.js';
import { until, Victim } from './support/attack.js';
import { VICTIM_JOBS } from './support/victim-jobs.js';

/** Nodes of a row. An attacker creates that many in less than a second. */
const ROW = 3_000;
/** Most processor time that the event loop may be blocked for, in milliseconds at full speed. */
let mostMs = 100;
beforeAll(() => {
  mostMs *= slowness();
});
/** Nodes of a row that are there at least. The leader removes items beyond the total at any time. */
const LEAST = 900;
const SECONDS = 1_000;

const WIDE = { type: 'IDLE', cron: '0 0 0 1 1 ? 2199', shardingTotalCount: 1_000, failover: true };
const OPTIONS = { ...VICTIM_JOBS, jobs: { ...VICTIM_JOBS.jobs, wide: WIDE } };

@Injectable()
class Nightly {
  @ElasticJobTemplate('nightly')
  run(): void {}
}

@Module({ providers: [Nightly] })
class TemplatesModule {}

describe('3,000 nodes that an attacker creates, writes and removes one after the other', () => {
  it(
    'block no process for long and stop no job, below any node that has children',
    { timeout: 600 * SECONDS },
    async () => {
      const { attack, victim } = await startVictim();
      const paths = new JobPaths('settle');
      const told: string[] = [];

      for (const row of [...knownRows(paths), ...foreignRows(paths)]) told.push(...(await attack(row)));

      expect(told).toEqual([]);
      expect(victim.told('session').map(({ state }) => state)).toEqual([]);
    },
  );

  it('block no process for long if there is one below each item', { timeout: 300 * SECONDS }, async () => {
    const { attack, client, victim } = await startVictim();
    const paths = new JobPaths('wide');
    const items = Array.from({ length: ROW }, (_, item) => `/${victim.namespace}${paths.item(item)}`);
    const told: string[] = [];

    for (const row of itemRows(paths)) {
      // The leader removes those beyond the total with its next plan.
      await client.createRow(items.map((path) => ({ path, data: '' })));
      told.push(...(await attack(row)));
    }

    expect(told).toEqual([]);
    expect(victim.told('session').map(({ state }) => state)).toEqual([]);
  });
});

async function startVictim() {
  const victim = await Victim.start(OPTIONS, { imports: [TemplatesModule] });
  const client = await startClient();
  await until(() => victim.settled('settle').length > 0);

  /** @returns the faults, in a sentence each */
  const attack = async (row: NodeRow): Promise<readonly string[]> => {
    const nodes = Array.from({ length: ROW }, (_, index) => ({
      path: `/${victim.namespace}${row.path(index)}`,
      data: row.text(index),
    }));
    const above = row.path(0).slice(0, row.path(0).lastIndexOf('/'));
    if (above !== '') await victim.attacker.ensurePath(above);
    const faults: string[] = [];
    const step = async (what: string, work: () => Promise<readonly number[]>) => {
      const longest = watchBlocks();
      const refused = await work();
      await victim.synced();
      const ms = longest();
      if (ms > mostMs) faults.push(`${row.name}: ${what} blocked for ${Math.round(ms)} ms`);
      return refused.length;
    };
    const refused = await step('creations', () => client.createRow(nodes, row.mode));
    if (refused > ROW - LEAST) faults.push(`${row.name}: ${refused} were not created`);
    await step('writes', () => client.writeRow(nodes));
    await step('removals', () => client.removeRow(nodes.map(({ path }) => path)));
    const before = victim.settled('settle').length;
    await until(() => victim.settled('settle').length > before).catch(() => faults.push(`${row.name}: the job stands`));
    return faults;
  };
  return { attack, client, victim };
}
