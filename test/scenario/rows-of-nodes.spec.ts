import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { JobPaths } from '../../libs/elastic-job/src/coordination/index.js';
import { NodeMap } from '../../libs/elastic-job/src/registry/node-map.js';
import { foreignRows, itemRows, knownRows, type NodeRow } from '@test/support/job-rows.js';
import { JOB, OneProcess } from '@test/support/unit/one-process.js';

/** Nodes of a row. The job has as many items. */
const ROW = 1_000;
/** Nodes that come at the same time. */
const PART = 200;
/** Most reads of a part for each node that is there. A look at all nodes for each new one would take twice as many. */
const LOOKS = 100;

let process: OneProcess;
beforeEach(async () => {
  process = await OneProcess.start({ shardingTotalCount: ROW });
});
afterEach(() => process.stop());

describe('nodes that come and go in a row, over the registry in memory', () => {
  const paths = new JobPaths(JOB);
  const rows = [...knownRows(paths), ...itemRows(paths), ...foreignRows(paths)];
  it.each(rows)('are not all looked at for each of them: $name', async (row) => {
    await process.operator.ensurePath(row.path(0).replace(/\/[^/]*$/, '') || '/');

    const costs = await costsOf(row);

    expect(Math.max(...costs)).toBeLessThan(LOOKS * ROW);
  });
});

/** @returns the number of reads that each part of the creations, writes and removals has cost */
async function costsOf(row: NodeRow): Promise<readonly number[]> {
  const { operator } = process;
  const costs: number[] = [];
  const each = async (work: (index: number) => Promise<unknown>) => {
    for (let from = 0; from < ROW; from += PART) {
      const part = Array.from({ length: PART }, (_, at) => from + at);
      costs.push(await readsOf(() => Promise.allSettled(part.map(work))));
    }
  };
  await each((index) => operator.create(row.path(index), row.text(index), row.mode ?? 'PERSISTENT'));
  await each((index) => operator.set(row.path(index), row.text(index)));
  await each((index) => operator.delete(row.path(index)));
  return costs;
}

async function readsOf(work: () => Promise<unknown>): Promise<number> {
  const spies = [vi.spyOn(NodeMap.prototype, 'has'), vi.spyOn(NodeMap.prototype, 'get')];
  await process.clock.advanceUntil(work());
  const reads = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  for (const spy of spies) spy.mockRestore();
  return reads;
}
